// n8n-core reports errors that it catches to its own logger; the tests check the results instead.
process.env.N8N_LOG_LEVEL ??= 'silent';
