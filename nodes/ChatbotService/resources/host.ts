/** Names that only a local network knows. A name without a dot is one of them. */
const localName = /^[^.:]*$|(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

const ipV4 = /^\d+(?:\.\d+){3}$/;

/** IPv4 addresses of this machine and of private networks. */
const privateIpV4 =
	/^(?:0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** The same as IPv6 addresses: this machine, private networks, and IPv4 addresses in the form of IPv6, which are never public. */
const privateIpV6 = /^\[(?:::|f[cd]|fe[89ab])/;

/**
 * Whether everybody on the internet can reach a host, as far as its name says.
 *
 * @param hostname as `URL` returns it
 */
export function isPublic(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return !privateIpV6.test(host);
	return ipV4.test(host) ? !privateIpV4.test(host) : !localName.test(host);
}
