// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import android.Manifest;
import android.content.pm.PackageManager;
import android.graphics.Color;
import android.os.Bundle;
import android.util.Log;
import android.view.Gravity;
import android.widget.FrameLayout;
import android.widget.TextView;
import androidx.activity.ComponentActivity;
import androidx.activity.result.contract.ActivityResultContracts;
import androidx.camera.core.CameraSelector;
import androidx.camera.core.ImageAnalysis;
import androidx.camera.core.ImageProxy;
import androidx.camera.core.Preview;
import androidx.camera.lifecycle.ProcessCameraProvider;
import androidx.camera.view.PreviewView;
import androidx.core.content.ContextCompat;
import com.google.common.util.concurrent.ListenableFuture;
import dev.nacre.SessionOptions;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Shows what the camera sees, and below it what the network takes it for. */
public final class CameraActivity extends ComponentActivity {
  private static final String TAG = "NacreCamera";
  private static final int GUESSES = 3;

  // The network is made, used and closed by this thread alone.
  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private ImageClassifier classifier;
  private PreviewView preview;
  private TextView words;

  @Override
  protected void onCreate(Bundle savedState) {
    super.onCreate(savedState);
    preview = new PreviewView(this);
    words = new TextView(this);
    words.setTextColor(Color.WHITE);
    words.setBackgroundColor(0x80000000);
    words.setPadding(32, 32, 32, 64);
    FrameLayout screen = new FrameLayout(this);
    screen.addView(preview);
    screen.addView(words, new FrameLayout.LayoutParams(FrameLayout.LayoutParams.MATCH_PARENT,
                                                       FrameLayout.LayoutParams.WRAP_CONTENT, Gravity.BOTTOM));
    setContentView(screen);

    worker.execute(() -> {
      SessionOptions options = new SessionOptions().cacheFolder(getCodeCacheDir().getPath()).gpuInBackground(true);
      classifier = new ImageClassifier(new Classifier(options));
    });
    if (ContextCompat.checkSelfPermission(this, Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED)
      startCamera();
    else
      registerForActivityResult(new ActivityResultContracts.RequestPermission(), isGranted -> {
        if (isGranted)
          startCamera();
        else
          words.setText(R.string.needs_camera);
      }).launch(Manifest.permission.CAMERA);
  }

  private void startCamera() {
    ListenableFuture<ProcessCameraProvider> provider = ProcessCameraProvider.getInstance(this);
    provider.addListener(() -> {
      try {
        bindCamera(provider.get());
      } catch (ExecutionException | InterruptedException failure) {
        Log.e(TAG, "there is no camera", failure);
      }
    }, ContextCompat.getMainExecutor(this));
  }

  private void bindCamera(ProcessCameraProvider camera) {
    Preview show = new Preview.Builder().build();
    show.setSurfaceProvider(preview.getSurfaceProvider());
    ImageAnalysis analysis = new ImageAnalysis.Builder()
                                 .setOutputImageFormat(ImageAnalysis.OUTPUT_IMAGE_FORMAT_RGBA_8888)
                                 .setBackpressureStrategy(ImageAnalysis.STRATEGY_KEEP_ONLY_LATEST)
                                 .build();
    analysis.setAnalyzer(worker, this::classify);
    camera.unbindAll();
    camera.bindToLifecycle(this, CameraSelector.DEFAULT_BACK_CAMERA, show, analysis);
  }

  private void classify(ImageProxy image) {
    try (ImageProxy picture = image) {
      ImageProxy.PlaneProxy rgba = picture.getPlanes()[0];
      List<Guess> guesses =
          classifier.classify(rgba.getBuffer(), picture.getWidth(), picture.getHeight(), rgba.getRowStride(),
                              picture.getImageInfo().getRotationDegrees(), GUESSES);
      StringBuilder text = new StringBuilder();
      for (Guess guess : guesses)
        text.append(String.format(Locale.ROOT, "class %d: %.0f %%\n", guess.index(), 100 * guess.probability()));
      runOnUiThread(() -> words.setText(text));
    }
  }

  @Override
  protected void onDestroy() {
    super.onDestroy();
    worker.execute(() -> {
      if (classifier != null)
        classifier.close();
    });
    worker.shutdown();
  }
}
