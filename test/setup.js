// n8n-core reports what it catches to its own logger; the tests look at the results instead.
process.env.N8N_LOG_LEVEL ??= 'silent';
