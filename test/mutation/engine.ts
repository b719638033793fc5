/* The engine tests as one file, so that n8n's engine is loaded once for a mutant; the fast ones come first. */
import '../engine/operations.test';
import '../engine/failures.test';
import '../engine/tool.test';
import '../engine/promises.test';
