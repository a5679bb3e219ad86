// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.nacre.NacreException.Status;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Damaged libraries of nacre-compile: each is refused, or the damage is in bytes that nobody reads; none ends the JVM. */
public class DamageTest {
  private static final int CUTS = 200;
  private static final int FLIPS = 2000;
  /** The ELF header, the segments' table and what follows it. */
  private static final int HEAD_BYTES = 1024;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static byte[] whole() throws IOException {
    return Files.readAllBytes(new File(System.getProperty("nacre.test.library")).toPath());
  }

  /** A new file each time: one that is loaded must keep its bytes. */
  private boolean isRefused(byte[] bytes) throws IOException {
    Path file = folder.newFile().toPath();
    Files.write(file, bytes);
    try (Model model = Model.open(file.toString(), "convnet"); Session session = model.newSession()) {
      session.run();
      return false;
    } catch (NacreException refused) {
      String message = refused.getMessage();
      assertTrue(message, message.contains("' is damaged: ") || message.contains("' is incomplete: ") ||
                              message.contains("' must be ") || message.contains("has no symbol nacre_model_convnet") ||
                              refused.status() == Status.FAILED);
      return true;
    } finally {
      Files.delete(file);
    }
  }

  @Test
  public void opensTheWholeLibrary() throws IOException {
    assertEquals(false, isRefused(whole()));
  }

  @Test
  public void refusesCutLibraries() throws IOException {
    byte[] whole = whole();
    for (int cut = 0; cut < CUTS; ++cut)
      assertTrue(isRefused(Arrays.copyOf(whole, (int)((long)whole.length * cut / CUTS))));
  }

  /** As Android's class loaders, whose method is public. */
  static final class AndroidLoader extends ClassLoader {
    private final String path;

    AndroidLoader(String path) { this.path = path; }

    @Override
    public String findLibrary(String name) {
      return "found".equals(name) ? path : null;
    }
  }

  private static String refusalOf(String path) {
    return assertThrows(NacreException.class, () -> Model.load(new AndroidLoader(path), "found", "convnet").close())
        .getMessage();
  }

  @Test
  public void checksWhatTheClassLoaderFinds() throws IOException {
    byte[] whole = whole();
    Path file = folder.newFile("libfound.so").toPath();
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    String refusal = refusalOf(file.toString());
    assertTrue(refusal, refusal.startsWith("'" + file + "' is incomplete: "));
    // The system's loader does not find a library of this name: these get as far as there.
    Files.write(file, whole);
    for (String path : new String[] {file.toString(), folder.getRoot() + "/base.apk!/lib/arm64-v8a/libfound.so", null}) {
      String found = refusalOf(path);
      assertTrue(found, found.contains("libfound.so: cannot open shared object file"));
    }
  }

  @Test
  public void survivesFlippedBits() throws IOException {
    byte[] whole = whole();
    Random draw = new Random(1);
    int refused = 0;
    for (int flip = 0; flip < FLIPS; ++flip) {
      byte[] damaged = whole.clone();
      damaged[draw.nextInt(flip % 2 == 0 ? HEAD_BYTES : whole.length)] ^= 1 << draw.nextInt(8);
      if (isRefused(damaged))
        ++refused;
    }
    assertTrue("only " + refused + " were refused", refused > FLIPS / 4);
  }
}
