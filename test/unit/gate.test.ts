import { Gate } from '../../nodes/ChatbotService/request/gate';

test.each([
	['all may go when all are valid', 3, [true, true, true], 'go'],
	['none may when one is not', 3, [true, false, true], 'othersInvalid'],
	['nor when the last one is not', 2, [true, false], 'othersInvalid'],
	['nor when one never comes', 3, [true, true], 'notAllCame'],
])('%s', async (_name, expected, valid, passage) => {
	const gate = new Gate(expected);
	const passages = await Promise.all(valid.map(async (each) => await gate.join(each)));
	expect(passages).toEqual(valid.map(() => passage));
});
