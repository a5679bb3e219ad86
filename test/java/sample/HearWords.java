// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import android.media.AudioRecord;
import dev.nacre.Model;
import dev.nacre.Session;
import dev.nacre.sample.sound.Microphone;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import kotlin.Unit;

/** Argument: a network's library. Plays half a second of each word with pauses between them, and prints what the microphone's user hears. */
public final class HearWords {
  private HearWords() {}

  public static void main(String[] arguments) throws InterruptedException {
    float[] sound = new float[9 * 16000];
    for (int word = 0; word < 3; ++word)
      Arrays.fill(sound, (3 * word + 1) * 16000, (3 * word + 1) * 16000 + 8000, word == 1 ? -0.5f : 0.5f);
    AudioRecord.sound = sound;
    CountDownLatch end = new CountDownLatch(1);
    try (Model model = Model.open(arguments[0]); Session session = model.newSession();
         Microphone microphone = new Microphone(session, Arrays.asList("silence", "unknown", "up", "down"),
                                                word -> {
                                                  System.out.println(word.getLabel());
                                                  return Unit.INSTANCE;
                                                },
                                                failure -> {
                                                  System.out.println(failure.getMessage());
                                                  end.countDown();
                                                  return Unit.INSTANCE;
                                                })) {
      end.await();
    }
  }
}
