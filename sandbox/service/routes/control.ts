/**
 * What other processes can ask of the stand-in and set, under /sandbox. It is never recorded, needs no token and is no part
 * of the interface.
 *
 *   GET  /sandbox/requests      every request, with its times and whether it was accepted
 *   GET  /sandbox/deliveries    who got which message, how often, in which order
 *   GET  /sandbox/violations    requests that broke docs/openapi.yaml
 *   GET  /sandbox/contacts      the contacts there are
 *   POST /sandbox/contacts      { count, botId?, messenger? }: more of them
 *   POST /sandbox/faults        a fault or an array of faults (faults.ts); [] switches all off
 *   POST /sandbox/limits        limits (limits.ts) or false
 *   POST /sandbox/answers       shapes by operation (answers.ts), or one for all that change something
 *   POST /sandbox/reset         everything back to the seed
 */

import type { FastifyInstance } from 'fastify';

import { SHAPES_SCHEMA, allAnswered, type AnswerShapes, type DoneShape } from '../answers';
import { MESSENGERS, addContacts, type Delivery, type Messenger } from '../data';
import type { Context } from '../exchange';
import { FAULT_KINDS, type Fault } from '../faults';
import { LIMITS_SCHEMA, type Limits } from '../limits';
import { parseJson } from '../recording';

export const CONTROL_PREFIX = '/sandbox';

/** What one recipient got, in the order of delivery. */
export interface Recipient {
	contactId: number;
	messenger: Messenger;
	count: number;
	texts: Array<string | undefined>;
}

export function addControl(app: FastifyInstance, context: Context, reset: () => void): void {
	const { data, answers, faults, limits, recording } = context;
	// Curl sends JSON as a form unless it is told otherwise.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
		done(null, parseJson(String(body))),
	);
	const taking = (body: object) => ({ schema: { body } });

	app.get('/requests', async () => ({ inFlight: recording.inFlight, requests: recording.requests }));
	app.get('/violations', async () => recording.violations);
	app.get('/deliveries', async () => ({
		deliveries: data.deliveries,
		recipients: byRecipient(data.deliveries),
	}));
	app.get('/contacts', async () => [...data.contacts.values()]);

	const contacts = {
		type: 'object',
		required: ['count'],
		properties: {
			count: { type: 'integer', minimum: 1 },
			botId: { enum: [...data.bots.keys()] },
			messenger: { enum: MESSENGERS },
		},
	};
	app.post<{ Body: { count: number; botId?: number; messenger?: Messenger } }>(
		'/contacts',
		taking(contacts),
		async ({ body }) => addContacts(data, body.count, body),
	);

	const fault = { type: 'object', required: ['kind'], properties: { kind: { enum: FAULT_KINDS } } };
	app.post<{ Body: Fault | Fault[] }>(
		'/faults',
		taking({ ...fault, type: ['object', 'array'], items: fault }),
		async ({ body }) => {
			const list = [body].flat();
			if (list.length === 0) faults.clear();
			for (const each of list) faults.add(each);
			return { added: list.length };
		},
	);

	app.post<{ Body: Partial<Limits> | false }>('/limits', taking(LIMITS_SCHEMA), async ({ body }) => {
		limits.set(body);
		return { limits: body };
	});

	app.post<{ Body: Partial<AnswerShapes> | DoneShape }>(
		'/answers',
		taking(SHAPES_SCHEMA),
		async ({ body }) => {
			Object.assign(answers, typeof body === 'string' ? allAnswered(body) : body);
			return { answers };
		},
	);

	app.post('/reset', async () => {
		reset();
		return { reset: true };
	});
}

function byRecipient(deliveries: Delivery[]): Recipient[] {
	const recipients = new Map<number, Recipient>();
	for (const { contactId, messenger, text } of deliveries) {
		const recipient = recipients.get(contactId) ?? { contactId, messenger, count: 0, texts: [] };
		recipient.count++;
		recipient.texts.push(text);
		recipients.set(contactId, recipient);
	}
	return [...recipients.values()];
}
