// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import android.Manifest
import android.content.pm.PackageManager
import android.graphics.Color
import android.os.Bundle
import android.util.Log
import android.view.Gravity
import android.view.View
import android.widget.Button
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.TextView
import androidx.activity.ComponentActivity
import androidx.activity.enableEdgeToEdge
import androidx.activity.result.contract.ActivityResultContracts
import androidx.camera.core.CameraSelector
import androidx.camera.core.ImageAnalysis
import androidx.camera.core.ImageProxy
import androidx.camera.core.Preview
import androidx.camera.lifecycle.ProcessCameraProvider
import androidx.camera.view.PreviewView
import androidx.core.content.ContextCompat
import androidx.core.view.OnApplyWindowInsetsListener
import androidx.core.view.ViewCompat
import androidx.core.view.WindowInsetsCompat
import dev.nacre.SessionOptions
import java.io.FileNotFoundException
import java.util.Properties
import java.util.concurrent.Executors

/** Shows the camera's picture, and below it the network's best guesses, its time, and the engine that computes. */
class CameraActivity : ComponentActivity() {
    // Only this thread creates, uses and closes the network.
    private val worker = Executors.newSingleThreadExecutor()
    private var classifier: ImageClassifier? = null
    private lateinit var preview: PreviewView
    private lateinit var words: TextView
    private lateinit var retry: Button
    private val permission = registerForActivityResult(ActivityResultContracts.RequestPermission()) { isGranted ->
        if (isGranted) start() else showError(getString(R.string.needs_camera))
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        enableEdgeToEdge()
        setContentView(makeScreen())
        if (ContextCompat.checkSelfPermission(this, Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED)
            start()
        else
            permission.launch(Manifest.permission.CAMERA)
    }

    private fun makeScreen(): View {
        preview = PreviewView(this)
        words = TextView(this)
        words.setTextColor(Color.WHITE)
        retry = Button(this)
        retry.setText(R.string.retry)
        retry.visibility = View.GONE
        retry.setOnClickListener { permission.launch(Manifest.permission.CAMERA) }

        val panel = LinearLayout(this)
        panel.orientation = LinearLayout.VERTICAL
        panel.setBackgroundColor(PANEL_COLOR)
        panel.addView(words)
        panel.addView(retry)
        // The panel's color reaches the edges of the screen, but its words keep clear of the system's bars and of cutouts.
        ViewCompat.setOnApplyWindowInsetsListener(panel, OnApplyWindowInsetsListener { view, insets ->
            val edges = insets.getInsets(WindowInsetsCompat.Type.systemBars() or WindowInsetsCompat.Type.displayCutout())
            view.setPadding(edges.left + MARGIN, MARGIN, edges.right + MARGIN, edges.bottom + MARGIN)
            insets
        })

        val screen = FrameLayout(this)
        screen.addView(preview)
        screen.addView(panel, FrameLayout.LayoutParams(FrameLayout.LayoutParams.MATCH_PARENT,
                                                       FrameLayout.LayoutParams.WRAP_CONTENT, Gravity.BOTTOM))
        return screen
    }

    private fun start() {
        retry.visibility = View.GONE
        words.setText(R.string.loading)
        worker.execute {
            try {
                if (classifier == null)
                    classifier = loadClassifier()
                runOnUiThread { startCamera() }
            } catch (failure: Throwable) { // also a missing library, which is an Error
                fail(getString(R.string.no_network), failure)
            }
        }
    }

    private fun loadClassifier(): ImageClassifier {
        val options = SessionOptions().cacheFolder(codeCacheDir.path).gpuInBackground(true)
        val network = Classifier(options)
        try {
            return ImageClassifier(network, network.session(), Labels(readLabels()), Preparation(readPreparation()))
        } catch (failure: Throwable) {
            network.close()
            throw failure
        }
    }

    /** The lines of assets/labels.txt; none if there is no such file. */
    private fun readLabels(): List<String> =
        try {
            assets.open("labels.txt").bufferedReader().use { it.readLines() }
        } catch (absent: FileNotFoundException) {
            emptyList()
        }

    /** The lines of assets/picture.properties; none if there is no such file. */
    private fun readPreparation(): Properties {
        val lines = Properties()
        try {
            assets.open("picture.properties").use { lines.load(it) }
        } catch (absent: FileNotFoundException) {
            // The usual preparation applies.
        }
        return lines
    }

    private fun startCamera() {
        val provider = ProcessCameraProvider.getInstance(this)
        provider.addListener(Runnable {
            try {
                bindCamera(provider.get())
            } catch (failure: Exception) {
                fail(getString(R.string.no_camera), failure)
            }
        }, ContextCompat.getMainExecutor(this))
    }

    private fun bindCamera(camera: ProcessCameraProvider) {
        val show = Preview.Builder().build()
        show.setSurfaceProvider(preview.surfaceProvider)
        val analysis = ImageAnalysis.Builder()
            .setOutputImageFormat(ImageAnalysis.OUTPUT_IMAGE_FORMAT_RGBA_8888)
            .setBackpressureStrategy(ImageAnalysis.STRATEGY_KEEP_ONLY_LATEST)
            .build()
        analysis.setAnalyzer(worker, ImageAnalysis.Analyzer { picture ->
            try {
                classify(picture)
            } catch (failure: RuntimeException) {
                analysis.clearAnalyzer()
                fail(getString(R.string.no_answer), failure)
            } finally {
                picture.close()
            }
        })
        camera.unbindAll()
        camera.bindToLifecycle(this, CameraSelector.DEFAULT_BACK_CAMERA, show, analysis)
    }

    private fun classify(picture: ImageProxy) {
        val network = classifier ?: return
        val rgba = picture.planes[0]
        val guesses = network.classify(rgba.buffer, picture.width, picture.height, rgba.rowStride,
                                       picture.imageInfo.rotationDegrees, GUESSES)
        val text = (guesses + network.describeSpeed()).joinToString("\n")
        runOnUiThread { words.text = text }
    }

    private fun fail(what: String, failure: Throwable) {
        Log.e(TAG, what, failure)
        runOnUiThread { showError("$what\n${failure.message ?: failure.javaClass.simpleName}") }
    }

    private fun showError(text: String) {
        words.text = text
        retry.visibility = View.VISIBLE
    }

    override fun onDestroy() {
        super.onDestroy()
        worker.execute { classifier?.close() }
        worker.shutdown()
    }

    private companion object {
        const val TAG = "NacreCamera"
        const val GUESSES = 3
        const val MARGIN = 32
        const val PANEL_COLOR = 0x80000000.toInt()
    }
}
