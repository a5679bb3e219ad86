// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample.sound

import android.media.AudioFormat
import android.media.AudioRecord
import android.media.MediaRecorder
import dev.nacre.Session
import kotlin.concurrent.thread

/**
 * Listens to the microphone, and runs a keyword spotter on the latest second of sound, ten times a second. The network takes samples
 * from -1 to 1, 16000 in a second, and returns probabilities. The app must have the permission RECORD_AUDIO.
 */
class Microphone(
    private val network: Session,
    labels: List<String>,
    private val onWord: (Word) -> Unit,
    private val onFailure: (Throwable) -> Unit
) : AutoCloseable {
    private val input = network.inputFloats(0)
    private val output = network.outputFloats(0)
    private val window = SlidingWindow(input.remaining(), RATE / LOOKS_A_SECOND)
    private val detector = WordDetector(labels)
    @Volatile private var isOpen = true
    private val worker = thread(name = "microphone") {
        try {
            listen()
        } catch (failure: Exception) {
            onFailure(failure)
        }
    }

    private fun listen() {
        val least = AudioRecord.getMinBufferSize(RATE, AudioFormat.CHANNEL_IN_MONO, AudioFormat.ENCODING_PCM_FLOAT)
        check(least > 0) { "the microphone cannot record $RATE samples in a second" }
        val recorder = AudioRecord(MediaRecorder.AudioSource.VOICE_RECOGNITION, RATE, AudioFormat.CHANNEL_IN_MONO,
                                   AudioFormat.ENCODING_PCM_FLOAT, maxOf(least, RATE * FLOAT_BYTES))
        try {
            check(recorder.state == AudioRecord.STATE_INITIALIZED) { "the microphone cannot be opened" }
            recorder.startRecording()
            val samples = FloatArray(RATE / LOOKS_A_SECOND)
            while (isOpen) {
                val count = recorder.read(samples, 0, samples.size, AudioRecord.READ_BLOCKING)
                check(count > 0) { "the microphone gives no more samples ($count)" }
                window.add(samples, count, input, ::look)
            }
            recorder.stop()
        } finally {
            recorder.release()
        }
    }

    private fun look() {
        network.run()
        val probabilities = FloatArray(output.remaining()) { output.get(it) }
        detector.hear(probabilities)?.let(onWord)
    }

    /** Waits for the last look. The session remains the caller's. */
    override fun close() {
        isOpen = false
        worker.join()
    }

    private companion object {
        const val RATE = 16000
        const val LOOKS_A_SECOND = 10
        const val FLOAT_BYTES = 4
    }
}
