import type { IHttpRequestOptions } from 'n8n-workflow';

import { messageTimeoutMs, usualTimeoutMs, type Sending } from '../../client/http/request';
import type { Problem } from '../../client/failure/failure';
import type { Operation } from '../../resources/operation';
import { isEmpty, isExpression } from '../../shared/values';
import { emptyField, unreadableProblem } from './valueProblems';
import { valueAt, type Values } from './expressions';

/* Request Options, as in n8n's declarative nodes. */

/** How to send an item's requests, or what is wrong with the options. @param raw the parameters as they stand in the workflow */
export function sendingOf(
	values: Values,
	raw: Record<string, unknown>,
	{ message }: Pick<Operation, 'message'>,
): { sending: Sending } | { problems: Problem[] } {
	try {
		const options = (values.at('requestOptions') ?? {}) as Record<string, unknown>;
		const timeout = Number(options.timeout) || (message ? messageTimeoutMs : usualTimeoutMs);
		const proxy = options.proxy ? proxyAt(String(options.proxy)) : undefined;
		// Without a proxy, requests would go past the rules of the network.
		if ((!options.proxy || isEmpty(options.proxy)) && isExpression(valueAt(raw, 'requestOptions.proxy')))
			return { problems: [emptyField('Proxy', 'For a direct connection, remove the option.')] };
		if (timeout < 1 || timeout > longestTimeoutMs) return { problems: [noTimeout] };
		if (options.proxy && !proxy) return { problems: [noProxy] };
		const sending: Sending = { timeout };
		if (proxy) sending.proxy = proxy;
		if (options.allowUnauthorizedCerts === true) sending.skipSslCertificateValidation = true;
		return { sending };
	} catch (error) {
		return { problems: [unreadableProblem('Request Options', error)] };
	}
}

/** Node.js fires a timer with a longer time at once. */
const longestTimeoutMs = 2 ** 31 - 1;

export const noTimeout: Problem = {
	message: "'Timeout' is not a number of milliseconds",
	advice: `Under 'Request Options' on the Settings tab of the node, enter a number from 1 to ${longestTimeoutMs} for 'Timeout', or remove it.`,
};

export const noProxy: Problem = {
	message: "'Proxy' is not the address of a proxy",
	advice:
		"Under 'Request Options' on the Settings tab of the node, enter an address such as http://proxy.example.com:3128 for 'Proxy', or remove it.",
};

/** User name and password stay encoded, because n8n builds a URL from them. */
function proxyAt(address: string): IHttpRequestOptions['proxy'] | undefined {
	if (!URL.canParse(address)) return undefined;
	const { protocol, hostname, port, username, password } = new URL(address);
	if (!['http:', 'https:'].includes(protocol) || !hostname) return undefined;
	return {
		// Keeps the brackets of an IPv6 address: n8n builds a URL from it and ignores a proxy whose URL it cannot parse.
		host: hostname,
		port: Number(port || (protocol === 'https:' ? 443 : 80)),
		protocol: protocol.slice(0, -1),
		...(username && { auth: { username, password } }),
	};
}
