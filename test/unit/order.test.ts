import fc from 'fast-check';

import { Order } from '../../nodes/ChatbotService/run/order';

/* Who may go at once and who after whom; that a run keeps to it is for test/engine. */

const kept = (order: Order) => {
	const { latest, next } = order as unknown as Record<'latest' | 'next', { size: number }>;
	return latest.size + next.size;
};

test('what changes nothing that is there already waits for nobody, and nobody for it', () => {
	const order = new Order();
	expect([0, 1, 2].map((item) => order.add(item, undefined))).toEqual([true, true, true]);
	expect([2, 0, 1].map((item) => order.ended(item, undefined))).toEqual([undefined, undefined, undefined]);
	expect(kept(order)).toBe(0);
});

test('items of one target go one after the other, as they came', () => {
	const order = new Order();
	expect([0, 1, 2].map((item) => order.add(item, 'contact 1'))).toEqual([true, false, false]);
	expect(order.ended(0, 'contact 1')).toBe(1);
	expect(order.ended(1, 'contact 1')).toBe(2);
	expect(order.ended(2, 'contact 1')).toBeUndefined();
	expect(kept(order)).toBe(0);
});

test('items of other targets do not wait', () => {
	const order = new Order();
	expect(order.add(0, 'contact 1')).toBe(true);
	expect(order.add(1, 'contact 2')).toBe(true);
	expect(order.add(2, 'contact 1')).toBe(false);
	expect(order.add(3, undefined)).toBe(true);
	expect(order.ended(1, 'contact 2')).toBeUndefined();
	expect(order.ended(0, 'contact 1')).toBe(2);
});

test('an item that comes while another of its target is under way waits for the latest of them', () => {
	const order = new Order();
	order.add(0, 'contact 1');
	order.add(1, 'contact 1');
	expect(order.ended(0, 'contact 1')).toBe(1);
	expect(order.add(2, 'contact 1')).toBe(false);
	expect(order.ended(1, 'contact 1')).toBe(2);
});

test('an item that comes when all of its target have ended goes at once', () => {
	const order = new Order();
	order.add(0, 'contact 1');
	order.ended(0, 'contact 1');
	expect(order.add(1, 'contact 1')).toBe(true);
	expect(order.ended(1, 'contact 1')).toBeUndefined();
});

test('a target may be called anything', () => {
	const order = new Order();
	for (const [index, target] of ['', '__proto__', 'constructor', 'undefined'].entries()) {
		expect(order.add(2 * index, target)).toBe(true);
		expect(order.add(2 * index + 1, target)).toBe(false);
		expect(order.ended(2 * index, target)).toBe(2 * index + 1);
	}
});

test('whatever comes and ends when, each target is changed by one item at a time, in their order (generated)', () => {
	const item = fc.record({
		target: fc.constantFrom('a', 'b', 'c', undefined),
		/** How many of those under way end before the next item comes, and which. */
		ends: fc.array(fc.nat(), { maxLength: 3 }),
	});
	fc.assert(
		fc.property(fc.array(item, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 40 }), (items, rest) => {
			const order = new Order();
			const underWay: number[] = [];
			const gone: number[] = [];
			const go = (index: number) => {
				const { target } = items[index]!;
				const same = underWay.filter((each) => target !== undefined && items[each]!.target === target);
				expect(same).toEqual([]);
				underWay.push(index);
				gone.push(index);
			};
			const end = (which: number) => {
				if (!underWay.length) return;
				const [index] = underWay.splice(which % underWay.length, 1);
				const next = order.ended(index!, items[index!]!.target);
				if (next !== undefined) go(next);
			};
			for (const [index, { target, ends }] of items.entries()) {
				if (order.add(index, target)) go(index);
				ends.forEach(end);
			}
			for (const which of rest) end(which);
			while (underWay.length) end(0);

			expect([...gone].sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
			for (const target of ['a', 'b', 'c']) {
				const same = gone.filter((index) => items[index]!.target === target);
				expect(same).toEqual([...same].sort((a, b) => a - b));
			}
			expect(kept(order)).toBe(0);
		}),
	);
});
