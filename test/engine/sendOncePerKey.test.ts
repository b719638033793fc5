import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { invalidValues } from '../../nodes/ChatbotService/client/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { looksAlike, lostPart, lostWord } from '../../nodes/ChatbotService/run/values/problems';
import type { Emulator } from '../../sandbox/emulator';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { credentialFor, newWorkflowId, runNode, withEmulator, type RunOptions } from './harness';
import { lettersFor, send } from './messages';

/*
 * A value of 'Send Once Per' that lost the part in which items differ is refused before anything leaves. Otherwise the first order of a
 * person would be sent, and all later ones would be skipped as if they had been sent.
 */

const run = async (service: Emulator, options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credentialFor(service), ...options });

const keyed = (key: unknown) => ({ ...send, options: { sendOncePer: key } }) as INodeParameters;
const label = sendOncePer.displayName;
const order = { order: 'A-1', zero: 0, no: false, long: Number('7615917337495251231') };

test.concurrent.each<[key: string, code?: string]>([
	['=order {{ $json.ordr }}', '{{ $json.ordr }}'],
	['=order {{ $json.ordr }} {{ $json.order }}', '{{ $json.ordr }}'],
	['={{ $json.order }}{{ $json.nobody?.id }}', '{{ $json.nobody?.id }}'],
	['=order {{ $json.order.missing.id }}', '{{ $json.order.missing.id }}'],
	['=order {{ Number($json.order) }}', '{{ Number($json.order) }}'],
	['=order {{ $json.zero + "/" + $json.ordr }}', '{{ $json.zero + "/" + $json.ordr }}'],
	["=order {{ $json.order.replace(/\\w/g, '').replace('-', '') }}"],
	["={{ 'order ' + $json.ordr }}", "{{ 'order ' + $json.ordr }}"],
	["={{ 'order ' + Number($json.order) }}"],
	['={{ `order ${$json.ordr}` }}'],
	["={{ 'order ' + null }}"],
	["=day {{ DateTime.fromISO($json.order).toFormat('yyyy-MM-dd') }}"],
	['=order {{ $json.long }}'],
	['order {{ $json.order }}'],
	['{{order}}'],
	['order {{ $json.order'],
	['=order {{ "{{ $json.order }" }}'],
])(
	'a value without its part is refused before anything leaves: %s',
	withEmulator(async (service, key, code) => {
		const people = lettersFor(service, 2).map((each) => ({ ...order, ...each }));
		const { error } = await run(service, { parameters: keyed(key), items: people });
		expect(error?.message).toContain(`'${label}'`);
		if (code) expect(error?.description).toContain(`"${code}"`);
		expect(service.requests).toEqual([]);
	}),
);

test.concurrent.each<[key: string, count: number]>([
	['order', 1],
	['null', 1],
	['=order {{ $json.order }}', 1],
	['={{ $json.zero }}', 1],
	['=order {{ $json.zero }}', 1],
	['=order {{ $json.no }}', 1],
	['=annullen {{ $json.order + "\\u00a0" }}', 1],
	['=order {{ $json.id - $json.id }}', 1],
	['={{ "" }}', 2],
])(
	'a complete value is the same for the same item, with %s: nobody gets a second message, unless there is no value',
	withEmulator(async (service, key, count) => {
		const [person] = lettersFor(service, 1);
		const deduplication = new MemoryDeduplicator();
		const workflowId = newWorkflowId();
		for (let time = 0; time < 2; time++) {
			const items = [{ ...order, ...person }];
			const { error } = await run(service, { parameters: keyed(key), items, deduplication, workflowId });
			expect(error).toBeUndefined();
		}
		expect(service.deliveries()).toHaveLength(count);
	}),
);

test.concurrent(
	'a value without its part is refused with the name of the option, of the part and of the column that was probably meant',
	withEmulator(async (service) => {
		const items = lettersFor(service, 1).map((each) => ({ ...each, 'Номер \u200bзаказа': 'A-1' }));
		const parameters = keyed('=заказ {{ $json["Номер заказа"] }}');
		const { error } = await run(service, { parameters, items });
		const lost = lostPart(label, ['{{ $json["Номер заказа"] }}']);
		const { message, description } = invalidValues([looksAlike(lost, 'Номер \u200bзаказа')]);
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, description]);
	}),
);

test.concurrent(
	'a value without its part fails only its own item when On Error continues',
	withEmulator(async (service) => {
		const items = lettersFor(service, 3).map((each, index) => ({
			...each,
			order: ['7', null, '9'][index],
		}));
		const { outputs } = await run(service, {
			parameters: keyed("={{ 'order ' + $json.order }}"),
			items: items as IDataObject[],
			node: { onError: 'continueErrorOutput' },
		});
		expect(outputs.map((output) => output.length)).toEqual([2, 1]);
		expect(outputs[1]![0]!.json.error).toBe(`${lostWord(label, '', '').message} [Item 1]`);
	}),
);
