import type { Editor, Framing, NodeDetails } from '../editor';
import { type OurNode, ourNode, until, workflowOver } from '../host';
import { SEEDED, type Emulator } from '../emulator';
import type { Sandbox } from '../start/sandbox';

export interface Stage extends Sandbox {
	service: Emulator;
	editor: Editor;
}

/** Shows the scene in the editor. @returns the part for the screenshot */
type Scene = (stage: Stage) => Promise<Framing>;

/**
 * A README shows images at 800 pixels or less. So a window is only as large as its subject, and the text keeps nearly its
 * size.
 */
interface Window {
	width: number;
	height: number;
}

/** Parts of n8n's editor that have nothing to do with the subject. */
export const distractions = [
	'.el-notification',
	'[data-test-id="floating-nodes"]',
	'[data-test-id="node-feature-request"]',
	'#cm-tooltip-container',
];

const { bots, contacts } = SEEDED;

/** For a workflow whose picture is shown at two thirds of its size. */
const larger = `
	[data-test-id="canvas-node"] [class*="_description_"] [class*="_label_"] { font-size: 21px !important; }
	[data-test-id="canvas-node"] [class*="_subtitle_"] { font-size: 14px !important; }
	.n8n-sticky h3 { font-size: 22px !important; }
	.n8n-sticky p { font-size: 17px !important; }
`;

/** The type of the node; it never changes. */
const displayName = 'Chatbot Service';

const leads = [
	{ id: contacts.telegram, name: 'Анна', city: 'Казань' },
	{ id: 'не указан', name: 'Иван', city: 'Москва' },
	{ id: contacts.viber, name: 'Мария', city: 'Самара' },
];

const send = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '=Здравствуйте, {{ $json.name }}! Ждём вас завтра в 18:30.',
};

export const scenes: Record<string, Scene> = {
	'node-panel': async ({ api, editor }) => {
		await editor.page.setViewportSize({ width: 1280, height: 360 });
		const { id } = await api.createWorkflow(workflowOver('Broadcast', leads));
		await editor.openWorkflow(id);
		const panel = await editor.addNode();
		await panel.search('телеграм');
		await panel.untilOffered(displayName);
		return { part: panel.window };
	},

	'tag-from-list': async (stage) => {
		const tag = 'Новый лид';
		const details = await openOver(stage, { width: 1048, height: 770 }, leads, {
			name: 'Attach tag',
			parameters: {
				resource: 'tag',
				operation: 'attach',
				contactId: '={{ $json.id }}',
				botId: String(bots.flowers),
				tagName: { __rl: true, mode: 'list', value: tag, cachedResultName: tag },
			},
		});
		await details.executePrevious();
		const list = details.list('tagName');
		await list.open();
		await list.untilLoaded();
		return { part: details.settings };
	},

	'error-with-item': async (stage) => {
		const details = await openOver(stage, { width: 1900, height: 410 }, leads, {
			name: 'Send message',
			parameters: send,
			onError: 'continueErrorOutput',
		});
		await details.execute();
		await details.output.items(1);
		return { part: details.output.pane };
	},

	pace: async (stage) => {
		const many = Array.from({ length: 3_000 }, (_, index) => ({
			...leads[0],
			id: contacts.telegram + index,
		}));
		const details = await openOver(stage, { width: 1088, height: 548 }, many, {
			name: 'Send message',
			parameters: send,
		});
		await details.executePrevious();
		await details.output.untilHinted();
		return { part: details.window };
	},

	'question-on-phone': async ({ api, editor, service, credential, host }) => {
		await editor.page.setViewportSize({ width: 390, height: 400 });
		const ask = {
			name: 'Ask the manager',
			parameters: {
				resource: 'message',
				operation: 'sendAndWait',
				contactId: String(contacts.max),
				message: 'Анна Смирнова просит скидку 10 % на курс «Английский для работы». Дать скидку?',
				approvalOptions: {
					values: { approvalType: 'double', approveLabel: 'Дать скидку', disapproveLabel: 'Отказать' },
				},
				options: {
					responseFormTitle: 'Скидка для клиента',
					responseFormDescription: 'Анна узнает ответ сразу.',
				},
			},
		};
		const { id } = await api.createWorkflow(workflowOver(ask.name, [{}], ourNode(ask, credential)));
		const before = service.deliveries().length;
		const executionId = await api.startWorkflow(id);
		await until(async () => (await api.statusOf(executionId)) === 'waiting');
		const [link] = /http\S+$/.exec(service.deliveries()[before]!.text!)!;
		// The editor opens n8n under another name of this machine.
		await editor.page.goto(link.replace(new URL(link).origin, host.url));
		return {};
	},

	credential: async ({ editor, credential }) => {
		await editor.page.setViewportSize({ width: 1000, height: 1400 });
		const dialog = await editor.openCredential(credential.name);
		await dialog.unroll();
		await dialog.disguise('baseUrl', 'https://watbot.ru');
		return { part: dialog.form, margin: 16 };
	},

	'welcome-new-leads': async ({ editor, examples }) => {
		await editor.page.setViewportSize({ width: 1480, height: 1200 });
		await editor.openWorkflow(examples.get('welcome-new-leads.json')!);
		await editor.executeWorkflow();
		await editor.fitCanvas();
		await editor.page.addStyleTag({ content: larger });
		const instructions = '.n8n-sticky:has(h2)';
		const others = editor.drawing.filter({ hasNot: editor.page.locator(instructions) });
		return { part: others, margin: 32, without: [instructions] };
	},
};

async function openOver(
	{ api, editor, credential }: Stage,
	window: Window,
	items: object[],
	step: OurNode,
): Promise<NodeDetails> {
	await editor.page.setViewportSize(window);
	const { id } = await api.createWorkflow(workflowOver(step.name, items, ourNode(step, credential)));
	await editor.openWorkflow(id);
	return await editor.openNode(step.name);
}
