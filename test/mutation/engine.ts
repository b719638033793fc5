/* The engine tests in one file, so that n8n's engine is loaded once per mutant; the fast tests come first. */
import '../engine/operations.test';
import '../engine/failures.test';
import '../engine/promises.test';
import '../engine/requestOptions.test';
import '../engine/retry.test';
