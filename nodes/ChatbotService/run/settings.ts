import type { IHttpRequestOptions } from 'n8n-workflow';

import { invalidValues, type Failure } from '../client/failure';
import { unreadableProblem } from './check';
import { Reader, type Source } from './reading';

/** What the user has set under Request Options, which n8n gives every declarative node. */
export interface Settings {
	/** Options of every request. */
	request: Pick<IHttpRequestOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'>;
	/** So many items leave, then nothing for so long; undefined when Batching is off. */
	batching: { size: number; intervalMs: number } | undefined;
}

/** As n8n stores them. */
interface RequestOptions {
	batching?: { batch?: { batchSize?: unknown; batchInterval?: unknown } };
	timeout?: unknown;
	proxy?: unknown;
	allowUnauthorizedCerts?: unknown;
}

/** n8n's own default for declarative nodes. */
const usualTimeoutMs = 300_000;

/** The settings of a run. n8n reads them with the first item, and so is it done here. */
export function readSettings(source: Source, firstItem: number): Settings | { failure: Failure } {
	let options: RequestOptions;
	try {
		const values = new Reader(source, ['requestOptions'], new Set()).valuesOf(firstItem);
		options = (values('requestOptions') ?? {}) as RequestOptions;
	} catch (error) {
		return { failure: invalidValues([unreadableProblem('Request Options', error)]) };
	}
	const { proxy, timeout, allowUnauthorizedCerts } = options;
	const request: Settings['request'] = {
		timeout: Number(timeout) || usualTimeoutMs,
		...(allowUnauthorizedCerts === true && { skipSslCertificateValidation: true }),
	};
	if (proxy) {
		const found = proxyAt(String(proxy));
		if (!found) {
			return {
				failure: invalidValues([
					{
						message: "'Proxy' is not the address of a proxy",
						advice:
							"Give 'Proxy' under 'Request Options' an address such as http://proxy.example.com:3128, or remove it.",
					},
				]),
			};
		}
		request.proxy = found;
	}
	return { request, batching: batchingOf(options) };
}

/** n8n says beside the field: -1 switches batching off, 0 counts as 1. */
function batchingOf({ batching }: RequestOptions): Settings['batching'] {
	const { batchSize, batchInterval } = batching?.batch ?? {};
	const size = Number(batchSize ?? -1);
	const intervalMs = Number(batchInterval ?? 0);
	return size >= 0 && intervalMs > 0 ? { size: Math.max(1, Math.floor(size)), intervalMs } : undefined;
}

function proxyAt(address: string): IHttpRequestOptions['proxy'] | undefined {
	if (!URL.canParse(address)) return undefined;
	const { protocol, hostname, port, username, password } = new URL(address);
	if (!/^https?:$/.test(protocol) || !hostname) return undefined;
	return {
		host: hostname.replace(/^\[|\]$/g, ''),
		port: Number(port || (protocol === 'https:' ? 443 : 80)),
		protocol: protocol.slice(0, -1),
		...(username && {
			auth: { username: decoded(username), password: decoded(password) },
		}),
	};
}

/** Text from an address; a percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
