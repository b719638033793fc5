import { isIP } from 'node:net';
import tls from 'node:tls';

import { certificate } from '../../sandbox/emulator';

/** Makes the certificate of the emulator trusted, like one of a known authority, until mocks are restored. */
export function trustCertificate() {
	const { cert: ca } = certificate();
	const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
	jest.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) => {
		const { servername = '' } = options;
		// Node.js 24 warns of an IP address, which the standard does not allow as a server name.
		return connect({ ...options, ca, servername: isIP(servername) ? '' : servername });
	}) as typeof tls.connect);
}
