import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import { contactOf, newCredential, ok, once, runFor, type AnswerTo } from './runs';
import { clock } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

const answer = (statusCode: number, message: string, headers = {}): ServiceAnswer => ({ statusCode, headers, body: { message } });
const refusedConnection = () => { throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED', syscall: 'connect' }); };

const troubles: Record<string, () => ServiceAnswer> = {
	token: () => answer(401, 'Unauthenticated.'),
	plan: () => answer(403, 'Forbidden'),
	endpoint: () => answer(404, 'The route api/v1/sendMessage could not be found.'),
	limit: () => answer(429, 'Too Many Attempts.', { 'retry-after': '3600' }),
	maintenance: () => answer(503, 'Service Unavailable', { 'retry-after': '3600' }),
	broken: () => answer(500, 'Server Error'),
	connection: refusedConnection,
};

test.each(Object.entries(troubles))('%s', async (name, trouble) => {
	const hint = jest.fn(); const log = jest.fn();
	const t0 = clock.now();
	const answerTo: AnswerTo = (_, { length }) => (length <= 60 ? ok : trouble());
	const { json, to } = await runFor(300, { answerTo, continues: true, credential: newCredential(2), hint, log });
	const counts: Record<string, number> = {};
	for (const { error } of json!) { const k = String(error).replace(/ \[Item.*/, ''); counts[k] = (counts[k] ?? 0) + 1; }
	console.log(name, to.length - 60, clock.now() - t0, counts, json![299], hint.mock.calls.flat(), log.mock.calls.flat().at(-1));
	void contactOf; void once;
});
