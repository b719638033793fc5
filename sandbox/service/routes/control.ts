/**
 * The control plane under /sandbox, for use from other processes. What runs over it is never recorded, needs no token
 * and is no part of the interface.
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

import type { FastifyInstance, FastifyReply } from 'fastify';

import { allAnswered, shapesProblem, type DoneShape } from '../answers';
import { MESSENGERS, addContacts, type Delivery, type Messenger } from '../data';
import type { Context } from '../exchange';
import { FAULT_KINDS, type Fault } from '../faults';
import { limitsProblem, type Limits } from '../limits';
import { parseJson } from '../recording';
import { isObject } from '../validation';

export const CONTROL_PREFIX = '/sandbox/';

/** What one recipient got, in the order of delivery. */
export interface Recipient {
	contactId: number;
	messenger: Messenger;
	count: number;
	texts: Array<string | undefined>;
}

export function addControlPlane(app: FastifyInstance, context: Context, reset: () => void): void {
	const { data, answers, faults, limits, recording } = context;

	app.get(`${CONTROL_PREFIX}requests`, async () => ({
		inFlight: recording.inFlight,
		requests: recording.requests,
	}));
	app.get(`${CONTROL_PREFIX}violations`, async () => recording.violations);
	app.get(`${CONTROL_PREFIX}deliveries`, async () => ({
		deliveries: data.deliveries,
		recipients: byRecipient(data.deliveries),
	}));
	app.get(`${CONTROL_PREFIX}contacts`, async () => [...data.contacts.values()]);

	app.post(`${CONTROL_PREFIX}contacts`, async (request, reply) => {
		const given = parseJson(String(request.body));
		const { count, botId, messenger } = (isObject(given) ? given : {}) as Record<string, unknown>;
		if (!Number.isInteger(count) || (count as number) < 1)
			return await refuse(reply, 'count is a positive integer');
		if (botId !== undefined && !data.bots.has(botId as number)) return await refuse(reply, 'unknown botId');
		if (messenger !== undefined && !MESSENGERS.includes(messenger as Messenger)) {
			return await refuse(reply, `messenger is one of ${MESSENGERS.join(', ')}`);
		}
		return addContacts(data, count as number, {
			botId: botId as number | undefined,
			messenger: messenger as Messenger | undefined,
		});
	});

	app.post(`${CONTROL_PREFIX}faults`, async (request, reply) => {
		const given = parseJson(String(request.body));
		const list = [given].flat() as Fault[];
		const stranger = list.find((fault) => !FAULT_KINDS.includes(fault?.kind));
		if (stranger !== undefined) return await refuse(reply, `kind is one of ${FAULT_KINDS.join(', ')}`);
		if (list.length === 0) faults.clear();
		for (const fault of list) faults.add(fault);
		return { added: list.length };
	});

	app.post(`${CONTROL_PREFIX}limits`, async (request, reply) => {
		const given = parseJson(String(request.body));
		const problem = limitsProblem(given);
		if (problem !== undefined) return await refuse(reply, problem);
		limits.set(given as Partial<Limits> | false);
		return { limits: given };
	});

	app.post(`${CONTROL_PREFIX}answers`, async (request, reply) => {
		const given = parseJson(String(request.body));
		const shapes = typeof given === 'string' ? allAnswered(given as DoneShape) : given;
		if (!isObject(shapes)) return await refuse(reply, 'answers are an object or one shape for all');
		const problem = shapesProblem(shapes);
		if (problem !== undefined) return await refuse(reply, problem);
		Object.assign(answers, shapes);
		return { answers };
	});

	app.post(`${CONTROL_PREFIX}reset`, async () => {
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

async function refuse(reply: FastifyReply, error: string) {
	return await reply.code(400).send({ error });
}
