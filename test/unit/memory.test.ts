import { memoryOf } from '../../nodes/ChatbotService/run/memory';

/* What one try of a run tells the next; what is remembered is for test/engine. */

test('tries that share their data share what they remember', () => {
	const key = {};
	memoryOf(key).set(3, { rows: [{ success: true }] });
	expect(memoryOf(key).get(3)).toEqual({ rows: [{ success: true }] });
	expect(memoryOf(key)).toBe(memoryOf(key));
});

test('others remember nothing of it, though their data look alike', () => {
	memoryOf({ node: 'a' }).set(0, { rows: [] });
	expect(memoryOf({ node: 'a' }).size).toBe(0);
});

test('where there is only one try, the next run begins anew', () => {
	memoryOf(null).set(0, { rows: [] });
	expect(memoryOf(null).size).toBe(0);
});
