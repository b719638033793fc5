import fc from 'fast-check';

import { Order } from '../../nodes/ChatbotService/run/order';

/* Which item may start at once, and which item waits for which other item. How a run uses this is in test/engine. */

test('items of one target go one after the other, in order of arrival', () => {
	const order = new Order();
	expect([0, 1, 2].map((item) => order.add(item, 'contact 1'))).toEqual([true, false, false]);
	expect(order.ended(0, 'contact 1')).toBe(1);
	expect(order.ended(1, 'contact 1')).toBe(2);
	expect(order.ended(2, 'contact 1')).toBeUndefined();
});

test('a later item waits too, although the first one has ended', () => {
	const order = new Order();
	for (const item of [0, 1]) order.add(item, 'contact 1');
	order.ended(0, 'contact 1');
	expect(order.add(2, 'contact 1')).toBe(false);
	expect(order.ended(1, 'contact 1')).toBe(2);
});

test('an item waits only for the items of its own target, and is returned when the last of them has ended (generated)', () => {
	const targets = ['contact 1', 'contact 2', '', '__proto__', 'constructor', 'undefined'];
	const item = fc.record({
		target: fc.constantFrom(...targets, undefined),
		/** Which of the items in progress end before the next one comes. */
		ends: fc.array(fc.nat(), { maxLength: 2 }),
	});
	fc.assert(
		fc.property(
			fc.array(item, { maxLength: 40, size: 'max' }),
			fc.array(fc.nat(), { maxLength: 40 }),
			(items, rest) => {
				const order = new Order();
				const underWay: number[] = [];
				/** Items that came and have not ended, by target, in their order. */
				const open = new Map<string, number[]>(targets.map((target) => [target, []]));
				const openWith = (index: number) => open.get(items[index]!.target!) ?? [index];
				const end = (which: number) => {
					if (!underWay.length) return;
					const [index] = underWay.splice(which % underWay.length, 1);
					const same = openWith(index!);
					expect(same.shift()).toBe(index);
					expect(order.ended(index!, items[index!]!.target)).toBe(same[0]);
					if (same.length) underWay.push(same[0]!);
				};
				for (const [index, { target, ends }] of items.entries()) {
					const same = open.get(target!);
					same?.push(index);
					const goesAtOnce = !same || same.length === 1;
					expect(order.add(index, target)).toBe(goesAtOnce);
					if (goesAtOnce) underWay.push(index);
					ends.forEach(end);
				}
				for (const which of rest) end(which);
				while (underWay.length) end(0);

				const { latest, next } = order as unknown as Record<'latest' | 'next', { size: number }>;
				expect([latest.size, next.size]).toEqual([0, 0]);
			},
		),
	);
});
