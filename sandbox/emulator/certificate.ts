/** A self-signed certificate for localhost, for tests that refuse it, and its key: made when they are first needed. */

import { execFileSync } from 'node:child_process';

let made: { key: string; cert: string } | undefined;

export function certificate() {
	if (made) return made;
	const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
	const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name];
	// Both go to the standard output.
	const pem = execFileSync('openssl', ['req', ...options, '-keyout', '-', '-out', '-'], {
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const start = pem.indexOf('-----BEGIN CERTIFICATE');
	return (made = { key: pem.slice(0, start), cert: pem.slice(start) });
}
