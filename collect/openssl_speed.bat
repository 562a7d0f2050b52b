@echo off
rem Measures the ciphers, hashes and curves of TLS and VPNs with the openssl of a Windows PC (Git for Windows brings one),
rem and writes one file for "kasoku import". Runs the commands of openssl_speed.sh.
setlocal EnableExtensions EnableDelayedExpansion

set "FORM=1"
set "NAME="
set "SECONDS_OPTION="
set "OPENSSL="
set "FILE="

:arguments
if "%~1"=="" goto arguments_read
if /i "%~1"=="--help" goto usage
if /i "%~1"=="-h" goto usage
if /i "%~1"=="/?" goto usage
if "%~2"=="" goto missing_value
if /i "%~1"=="--name" set "NAME=%~2"& goto next_argument
if /i "%~1"=="--seconds" set "SECONDS_OPTION=-seconds %~2"& goto next_argument
if /i "%~1"=="--openssl" set "OPENSSL=%~2"& goto next_argument
if /i "%~1"=="-o" set "FILE=%~2"& goto next_argument
>&2 echo openssl_speed.bat: %1 is no option; --help says more
exit /b 2
:next_argument
shift
shift
goto arguments
:missing_value
>&2 echo openssl_speed.bat: %1 takes a value, or is no option; --help says more
exit /b 2

:usage
echo Usage: openssl_speed.bat [--name NAME] [--seconds N] [--openssl PROGRAM] [-o FILE]
echo.
echo Measures with "openssl speed" (about four minutes) and writes one file for "kasoku import".
echo.
echo   --name NAME        what this PC is called in tables [default: its CPU]
echo   --seconds N        how long each measurement takes [default: openssl's own 3, and 10 for curves]
echo   --openssl PROGRAM  the openssl to measure [default: the one in PATH, or that of Git for Windows]
echo   -o FILE            the file to write [default: kasoku-DATE.txt here]; one that is there stays
exit /b 0

:arguments_read
if not defined OPENSSL for %%P in (openssl.exe) do if not "%%~$PATH:P"=="" set "OPENSSL=%%~$PATH:P"
if not defined OPENSSL if exist "%ProgramFiles%\Git\usr\bin\openssl.exe" set "OPENSSL=%ProgramFiles%\Git\usr\bin\openssl.exe"
if not defined OPENSSL if exist "%ProgramFiles%\Git\mingw64\bin\openssl.exe" set "OPENSSL=%ProgramFiles%\Git\mingw64\bin\openssl.exe"
if not defined OPENSSL goto no_openssl

rem Every user can read the name of the CPU in the registry. Newer versions of Windows have no wmic.
set "CPU="
for /f "tokens=2,*" %%A in ('reg query "HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0" /v ProcessorNameString 2^>nul ^| find "REG_SZ"') do set "CPU=%%B"
set "SYSTEM="
for /f "delims=" %%A in ('ver') do set "SYSTEM=%%A"
set "NOW="
for /f "delims=" %%A in ('powershell -NoProfile -Command "(Get-Date).ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ')" 2^>nul') do set "NOW=%%A"
set "STAMP=%NOW::=%"
set "STAMP=%STAMP:-=%"
if not defined NOW set "STAMP=%RANDOM%"
if not defined FILE set "FILE=kasoku-%STAMP%.txt"
if exist "%FILE%" goto there_already

rem An interrupted run leaves only a .part file, which is incomplete.
set "PART=%FILE%.part"
>"%PART%" echo # kasoku collect %FORM%
if not exist "%PART%" goto not_writable
>>"%PART%" echo # name: !NAME!
>>"%PART%" echo # date: !NOW!
>>"%PART%" echo # os: !SYSTEM!
>>"%PART%" echo # cpu: !CPU!
>>"%PART%" echo # machine: %PROCESSOR_ARCHITECTURE%
>>"%PART%" echo # kernel: Windows
"%OPENSSL%" version -a >>"%PART%" 2>&1

rem OpenSSL before 1.1.1 has no option -seconds.
if not defined SECONDS_OPTION goto seconds_known
"%OPENSSL%" speed -help 2>&1 | find "-seconds" >nul
if errorlevel 1 set "SECONDS_OPTION="
:seconds_known

set "TOTAL=14"
set "NUMBER=0"
set "FAILED=0"
call :measure -evp aes-128-cbc
call :measure -evp aes-256-cbc
call :measure -evp aes-128-gcm
call :measure -evp aes-256-gcm
call :measure -evp chacha20-poly1305
call :measure -evp sha1
call :measure -evp sha256
call :measure -evp sha512
call :measure -evp blake2s256
call :measure -evp blake2b512
call :measure ecdhx25519
call :measure ecdhx448
call :measure ed25519
call :measure ed448

move "%PART%" "%FILE%" >nul
if errorlevel 1 goto not_writable
if not "%FAILED%"=="0" >&2 echo openssl_speed.bat: %FAILED% of %TOTAL% are not in this openssl; the rest is measured
>&2 echo Bring %FILE% to a machine with Kasoku, and there: kasoku import %FILE%
echo %FILE%
exit /b 0

:measure
set /a NUMBER+=1
>&2 echo %NUMBER%/%TOTAL% openssl speed -elapsed %*
>>"%PART%" echo # run: openssl speed -elapsed %*
"%OPENSSL%" speed -elapsed %SECONDS_OPTION% %* >>"%PART%" 2>&1 <nul
if errorlevel 1 set /a FAILED+=1
exit /b 0

:no_openssl
>&2 echo openssl_speed.bat: there is no openssl here; install Git for Windows, or name one with --openssl
exit /b 2

:there_already
>&2 echo openssl_speed.bat: %FILE% is there already; move it away, or name another with -o
exit /b 2

:not_writable
>&2 echo openssl_speed.bat: %PART% cannot be written; change into a folder where it can
exit /b 2
