@rem SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
@rem Runs the Gradle of gradle\wrapper\gradle-wrapper.properties, which the wrapper's jar downloads and checks.
@echo off
setlocal
set jar=%~dp0gradle\wrapper\gradle-wrapper.jar
if not exist "%jar%" (
  echo gradlew: there is no %jar%; run 'gradle wrapper' once in %~dp0, with any Gradle from 7 on, or open the folder in Android Studio>&2
  exit /b 1
)
set java=java
if defined JAVA_HOME set java=%JAVA_HOME%\bin\java
"%java%" -Dorg.gradle.appname=gradlew -classpath "%jar%" org.gradle.wrapper.GradleWrapperMain %*
