import { join } from 'node:path';

import type { Editor, Framing, NodeDetails } from '../editor';
import { type OurNode, ourNode, until, workflowOver } from '../host';
import { addContacts, SEEDED, type Emulator } from '../emulator';
import { examplesFolder } from '../start/examples';
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

	'welcome-new-leads': async (stage) =>
		await runExample(stage, 'welcome-new-leads.json', { width: 1480, height: 1200 }),

	'lead-becomes-contact': async (stage) =>
		await runExample(stage, 'lead-becomes-contact.json', { width: 1480, height: 1300 }),

	'broadcast-to-segment': async (stage) => {
		for (const contact of addContacts(stage.service.data, 12)) contact.tags.push('Пробный урок');
		return await runExample(stage, 'broadcast-to-segment.json', { width: 1700, height: 1200 });
	},

	'broadcast-on-friday': async (stage) => {
		// At night, nothing would be sent.
		const id = stage.examples.get('broadcast-on-friday.json')!;
		const workflow = await stage.api.workflow(id);
		for (const { parameters } of workflow.nodes) {
			const { sendingHours } = (parameters.options ?? {}) as { sendingHours?: { values: object } };
			if (sendingHours) sendingHours.values = { from: '00:00', until: '23:59' };
		}
		await stage.api.updateWorkflow(id, workflow);
		return await runExample(stage, 'broadcast-on-friday.json', { width: 1900, height: 1200 });
	},

	'broadcast-from-form': async ({ api, editor, examples, host }) => {
		const { page } = editor;
		await page.setViewportSize({ width: 560, height: 560 });
		await api.activateWorkflow(examples.get('broadcast-from-form.json')!);
		// The form refuses browsers that say that nobody looks at them.
		const agent = await page.evaluate<string>('navigator.userAgent');
		await page.setExtraHTTPHeaders({ 'user-agent': agent.replace('Headless', '') });
		await until(async () => (await page.goto('/form/broadcast').catch(() => null))?.ok() ?? false);
		await page.locator('input[type=file]').setInputFiles(join(examplesFolder, 'contacts.csv'));
		await page.locator('input[type=text]').first().fill('Открытый урок, ноябрь');
		await page.locator('input[type=text]').last().fill('Пробный урок');
		await page.locator('textarea').fill('Здравствуйте, {имя}! В субботу у нас открытый урок. Придёте?');
		const answer = page.waitForResponse((response) => response.request().method() === 'POST');
		await page.locator('#submit-btn').click();
		const { formWaitingUrl } = (await (await answer).json()) as { formWaitingUrl: string };
		// The editor opens n8n under another name of this machine.
		const next = formWaitingUrl.replace(new URL(formWaitingUrl).origin, host.url);
		const status = new URL(next);
		status.pathname += '/n8n-execution-status';
		await until(async () => (await (await page.request.get(status.href)).text()).trim() === 'form-waiting');
		await page.goto(next, { waitUntil: 'domcontentloaded' });
		await page.getByText('Первое сообщение').waitFor();
		return { part: page.locator('form') };
	},
};

/** Runs an example, and shows its nodes and notes without the note that says what to change. */
async function runExample({ editor, examples }: Stage, file: string, window: Window): Promise<Framing> {
	await editor.page.setViewportSize(window);
	await editor.openWorkflow(examples.get(file)!);
	// With several triggers, the button below the canvas starts another one than the manual one.
	await editor.page.getByTestId('execute-workflow-button-Start').dispatchEvent('click');
	await editor.stopButton.waitFor();
	await editor.untilEnded();
	await editor.notification.waitFor();
	// The last numbers of items appear a moment later.
	await editor.page.waitForTimeout(2_000);
	await editor.fitCanvas();
	await editor.page.addStyleTag({ content: larger });
	const instructions = '.n8n-sticky:has(h2)';
	const others = editor.drawing.filter({ hasNot: editor.page.locator(instructions) });
	return { part: others, margin: 32, without: [instructions] };
}

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
