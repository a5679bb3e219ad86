// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import static org.junit.Assert.assertEquals;

import dev.nacre.NacreException.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a model remembers. */
public class StateTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private Model model;
  private Session session;

  @Before
  public void open() {
    model = Toy.open();
    session = model.newSession();
    Toy.fill(session.inputFloats(0));
  }

  @After
  public void close() {
    session.close();
    model.close();
  }

  private float sumAfterRun() {
    session.run();
    return session.outputFloats("sum").get(0);
  }

  @Test
  public void growsAndIsReset() {
    assertEquals(Toy.sum(1), sumAfterRun(), 0);
    assertEquals(Toy.sum(2), sumAfterRun(), 1e-3);
    session.state().reset(State.WEIGHT); // it has none of these
    assertEquals(Toy.sum(3), sumAfterRun(), 1e-3);
    session.state().reset();
    assertEquals(Toy.sum(1), sumAfterRun(), 0);
  }

  @Test
  public void isReadAndWritten() {
    ByteBuffer total = Buffers.allocate(48 * 4);
    session.run();
    session.state().read("total", total);
    assertEquals(Toy.sum(1), total.getFloat(0), 0);
    total.putFloat(0, 1000);
    session.state().write("total", total);
    assertEquals(1000 + Toy.sum(1), sumAfterRun(), 1e-2);
    Toy.wrong("no state 'other'", () -> session.state().read("other", total));
    Toy.wrong("must be direct", () -> session.state().read("total", ByteBuffer.allocate(48 * 4)));
    Toy.wrong("at least 192 bytes", () -> session.state().write("total", Buffers.allocate(188)));
    Toy.wrong("must be writable", () -> session.state().read("total", total.asReadOnlyBuffer().order(total.order())));
  }

  @Test
  public void isSavedAndLoaded() throws IOException {
    String path = folder.getRoot() + "/state.safetensors";
    session.run();
    session.state().save(path);
    session.run();
    session.state().load(path);
    assertEquals(Toy.sum(2), sumAfterRun(), 1e-3);

    Path damaged = folder.newFile().toPath();
    byte[] bytes = Files.readAllBytes(Path.of(path));
    bytes[bytes.length - 1] ^= 1;
    Files.write(damaged, bytes);
    Toy.wrong("", () -> session.state().load(damaged.toString()));
    Toy.refused(Status.FAILED, "", () -> session.state().load(folder.getRoot() + "/none"));
    Toy.refused(Status.FAILED, "", () -> session.state().save(folder.getRoot() + "/none/state"));
    assertEquals(Toy.sum(3), sumAfterRun(), 1e-3);
  }

  @Test
  public void isShared() {
    State shared = model.newState();
    SessionOptions options = new SessionOptions().state(shared);
    Session one = model.newSession(options);
    try (Session other = model.newSession(options)) {
      Toy.fill(one.inputFloats(0));
      Toy.fill(other.inputFloats(0));
      one.run();
      shared.close(); // both go on with it
      shared.close();
      other.run();
      assertEquals(Toy.sum(2), other.outputFloats("sum").get(0), 1e-3);
      one.close();
      other.run();
    }
    Toy.wrong("the state is closed", shared::reset);
    Toy.wrong("the state is closed", () -> model.newSession(options));
  }

  @Test
  public void isCopied() {
    try (State copy = model.newState()) {
      session.run();
      copy.copyFrom(session.state());
      session.run();
      session.state().copyFrom(copy);
      session.state().copyFrom(session.state());
      assertEquals(Toy.sum(2), sumAfterRun(), 1e-3);
      try (Model other = Toy.open("newer"); State others = other.newState()) {
        Toy.wrong("the same model", () -> copy.copyFrom(others));
        Toy.wrong("the session's model", () -> model.newSession(new SessionOptions().state(others)));
      }
    }
    Toy.wrong("belongs to a session", () -> model.newSession(new SessionOptions().state(session.state())));
  }
}
