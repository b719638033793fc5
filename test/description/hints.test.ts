import { NodeHelpers, Workflow, type INode, type INodeParameters, type INodeTypes } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { onceHint } from '../../nodes/ChatbotService/description/hints';

/* What the editor says before a run, evaluated as it does it: with the items at hand, or with none. */

const nodeType = new ChatbotService();

function hintsFor(count: number, parameters: INodeParameters): string[] {
	const node: INode = {
		id: '1',
		name: 'Chatbot Service',
		type: 'chatbotService',
		typeVersion: 1,
		position: [0, 0],
		parameters:
			NodeHelpers.getNodeParameters(
				nodeType.description.properties,
				parameters,
				true,
				false,
				null,
				nodeType.description,
			) ?? {},
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: { getByNameAndVersion: () => nodeType } as unknown as INodeTypes,
	});
	const items = Array.from({ length: count }, () => ({ json: {} }));
	return nodeType.description
		.hints!.filter(({ displayCondition }) =>
			workflow.expression.getParameterValue(displayCondition!, null, 0, 0, node.name, items, 'manual', {}),
		)
		.map(({ message }) => message);
}

/** How long the pace takes, as the hints say it. */
const spansFor = (count: number, parameters: INodeParameters) =>
	hintsFor(count, parameters).flatMap((message) => /will take (.*):/.exec(message)?.[1] ?? []);

const send = { resource: 'message', operation: 'send' };

test.each<[string, number, INodeParameters, string[]]>([
	['a broadcast of 59 messages', 59, send, []],
	['a broadcast of 60, whose messenger is not known,', 60, send, ['1 to 3 minutes']],
	['a broadcast of 300', 300, send, ['3 to 10 minutes']],
	['a broadcast of 300 in WhatsApp', 300, { ...send, contactMessenger: 'whatsapp' }, ['30 to 90 minutes']],
	[
		'a broadcast of 300 in VK, which has no limit of its own,',
		300,
		{ ...send, contactMessenger: 'vk' },
		['1 to 3 minutes'],
	],
	[
		'a broadcast of 60 by external ID, whose messenger is known,',
		60,
		{ ...send, recipient: 'externalId', messenger: 'whatsapp' },
		['10 to 30 minutes'],
	],
	[
		'a broadcast of 300 with an expression for the messenger',
		300,
		{ ...send, contactMessenger: '={{ $json.m }}' },
		['3 to 10 minutes'],
	],
	[
		'a broadcast to 3600 WhatsApp numbers',
		3600,
		{ resource: 'message', operation: 'sendToWhatsApp' },
		['30 to 90 minutes'],
	],
	['a run of 10,000 tags', 10_000, { resource: 'tag', operation: 'attach' }, ['30 to 90 minutes']],
	[
		'a broadcast to 20,000 contacts in WhatsApp',
		20_000,
		{ ...send, contactMessenger: 'whatsapp' },
		['more than a day'],
	],
	['a node without items yet', 0, send, []],
])('%s is told how long it takes, or nothing', (_name, count, parameters, expected) => {
	expect(spansFor(count, parameters)).toEqual(expected);
});

test('each number of messages from 60 on is told one span of time', () => {
	for (let count = 60; count < 200_000; count = Math.ceil(count * 1.13)) {
		expect([count, spansFor(count, send).length]).toEqual([count, 1]);
	}
});

const toWhatsApp = { resource: 'message', operation: 'sendToWhatsApp' };
const protectedBy = (sendOncePer: string) => ({ ...send, options: { sendOncePer } });

test.each<[string, number, INodeParameters, boolean]>([
	['of 299 messages', 299, send, false],
	['of 300 messages', 300, send, true],
	['of 300 messages to WhatsApp numbers', 300, toWhatsApp, true],
	['with an empty value', 300, protectedBy(''), true],
	['with a value', 300, protectedBy('осенняя распродажа'), false],
	['with an expression', 300, protectedBy("={{ 'осень' }}"), false],
	['of tags', 10_000, { resource: 'tag', operation: 'attach' }, false],
	['of tags, with a message in the parameters that are hidden', 300, { ...send, resource: 'tag' }, false],
])('a run %s is told how it can be continued, or not', (_name, count, parameters, expected) => {
	expect(hintsFor(count, parameters).includes(onceHint.message)).toBe(expected);
});
