import { deviations } from '../../sandbox/start/expectation';
import { isUsable, readLeads } from '../../sandbox/start/leads';
import { type WelcomeResult, welcomeNewLeads } from '../../sandbox/start/welcome';
import { openBench, type Bench } from './support/bench';

let bench: Bench;
let result: WelcomeResult;

beforeAll(async () => {
	bench = await openBench('welcome');
	result = await welcomeNewLeads(bench, bench.service);
});

afterAll(async () => await bench?.stop());

test('"Welcome new leads" does what the leads ask for', () => {
	expect(result.deviations).toEqual([]);
	bench.service.assertContract();
});

test('every usable lead is written to once, and nobody else', async () => {
	const usable = (await readLeads()).filter(isUsable);
	const texts = bench.service.deliveries().map(({ text }) => text ?? '');
	expect(texts).toHaveLength(usable.length);
	for (const { name } of usable) expect(texts.filter((text) => text.includes(name))).toHaveLength(1);
});

test("n8n's own record of a run tells the same", async () => {
	const told = await welcomeNewLeads(bench);
	expect(told.witness).toBe('n8n');
	expect(told.deviations).toEqual([]);
});

test('a message that is missing, sent twice or sent to the wrong lead would be noticed', async () => {
	const leads = await readLeads();
	const bad = leads.find((lead) => !isUsable(lead))!;
	const message = result.deeds.find(({ operation }) => operation === 'sendMessage')!;
	const others = result.deeds.filter((deed) => deed !== message);
	const judge = (deeds: typeof others) => deviations(leads, { ...result, deeds });
	expect(judge(others)).not.toEqual([]);
	expect(judge([...result.deeds, message])).not.toEqual([]);
	expect(judge([...others, { ...message, accepted: false }])).not.toEqual([]);
	expect(judge([...result.deeds, { ...message, recipient: bad.contact_id, accepted: false }])).not.toEqual(
		[],
	);
	expect(deviations(leads, { ...result, failed: [] })).not.toEqual([]);
});
