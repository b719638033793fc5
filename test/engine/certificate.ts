import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';

const fileOf = (name: string) => readFileSync(join(__dirname, '../../sandbox/emulator/tls', name));

/** The self-signed certificate of the emulator, for the name localhost, and its key. */
export const certificate = () => ({ key: fileOf('key.pem'), cert: fileOf('cert.pem') });

/** Makes the certificate trusted, like one of a known authority, until mocks are restored. */
export function trustCertificate() {
	const { cert: ca } = certificate();
	const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
	jest.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) => {
		const { servername = '' } = options;
		// Node.js 24 warns of an IP address, which the standard does not allow as a server name.
		return connect({ ...options, ca, servername: isIP(servername) ? '' : servername });
	}) as typeof tls.connect);
}
