/**
 * What other processes can read and set, under /sandbox. These requests are not recorded, need no token and are not part of the API.
 *
 *   GET  /sandbox/requests      every request, with its times and whether it was accepted
 *   GET  /sandbox/deliveries    the delivered messages with their recipients, in order
 *   GET  /sandbox/violations    requests that violated docs/openapi.yaml
 *   POST /sandbox/faults        a fault or an array of faults (faults.ts); [] disables all faults
 *   POST /sandbox/limits        limits (limits.ts) or false
 *   POST /sandbox/dialect     differences from the defaults (dialect.ts); {} restores these
 *   POST /sandbox/reset         restores the seed
 */

import type { FastifyInstance } from 'fastify';

import { dialectOf, type Dialect } from '../dialect';
import type { Context } from '../exchange';
import type { Fault } from '../faults';
import type { Limits } from '../limits';
import { parseJson } from '../recording';

export const CONTROL_PREFIX = '/sandbox';

export function addControl(app: FastifyInstance, context: Context, reset: () => void): void {
	const { data, dialect, faults, limits, recording } = context;
	// By default, curl sends JSON with the content type of a form.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
		done(null, parseJson(String(body))),
	);

	app.get('/requests', async () => ({ inFlight: recording.inFlight, requests: recording.requests }));
	app.get('/deliveries', async () => data.deliveries);
	app.get('/violations', async () => recording.violations);

	app.post<{ Body: Fault | Fault[] }>('/faults', async ({ body }) => {
		const list = [body].flat();
		if (list.length === 0) faults.clear();
		for (const each of list) faults.add(each);
		return { added: list.length };
	});

	app.post<{ Body: Partial<Limits> | false }>('/limits', async ({ body }) => {
		limits.set(body);
		return { limits: body };
	});

	app.post<{ Body: Partial<Dialect> }>('/dialect', async ({ body }) => ({
		dialect: Object.assign(dialect, dialectOf(body)),
	}));

	app.post('/reset', async () => {
		reset();
		return { reset: true };
	});
}
