/**
 * What other processes can ask of the emulator and set, under /sandbox. It is never recorded, needs no token and is no part
 * of the interface.
 *
 *   GET  /sandbox/requests      every request, with its times and whether it was accepted
 *   GET  /sandbox/deliveries    who got which message, in order
 *   GET  /sandbox/violations    requests that broke docs/openapi.yaml
 *   GET  /sandbox/contacts      the contacts there are
 *   POST /sandbox/faults        a fault or an array of faults (faults.ts); [] switches all off
 *   POST /sandbox/limits        limits (limits.ts) or false
 *   POST /sandbox/reset         everything back to the seed
 */

import type { FastifyInstance } from 'fastify';

import type { Context } from '../exchange';
import { FAULT_KINDS, type Fault } from '../faults';
import { LIMITS_SCHEMA, type Limits } from '../limits';
import { parseJson } from '../recording';

export const CONTROL_PREFIX = '/sandbox';

const FAULT_SCHEMA = { type: 'object', required: ['kind'], properties: { kind: { enum: FAULT_KINDS } } };
const FAULTS_SCHEMA = { ...FAULT_SCHEMA, type: ['object', 'array'], items: FAULT_SCHEMA };

export function addControl(app: FastifyInstance, context: Context, reset: () => void): void {
	const { data, faults, limits, recording } = context;
	// Curl sends JSON as a form unless it is told otherwise.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
		done(null, parseJson(String(body))),
	);
	const taking = (body: object) => ({ schema: { body } });

	app.get('/requests', async () => ({ inFlight: recording.inFlight, requests: recording.requests }));
	app.get('/deliveries', async () => data.deliveries);
	app.get('/violations', async () => recording.violations);
	app.get('/contacts', async () => [...data.contacts.values()]);

	app.post<{ Body: Fault | Fault[] }>('/faults', taking(FAULTS_SCHEMA), async ({ body }) => {
		const list = [body].flat();
		if (list.length === 0) faults.clear();
		for (const each of list) faults.add(each);
		return { added: list.length };
	});

	app.post<{ Body: Partial<Limits> | false }>('/limits', taking(LIMITS_SCHEMA), async ({ body }) => {
		limits.set(body);
		return { limits: body };
	});

	app.post('/reset', async () => {
		reset();
		return { reset: true };
	});
}
