import type { Locator } from 'playwright-core';

import { type Editor, type NodeDetails, type Step, workflowOver } from '../editor';
import type { StoredCredential } from '../host';
import { SEEDED, type Service } from '../service';
import type { Sandbox } from '../start/sandbox';

/** What a scene has at hand. */
export interface Stage extends Sandbox {
	service: Service;
	editor: Editor;
	credential: StoredCredential;
}

/** Brings something on the screen. @returns the part of the window that belongs on the picture; all of it without one */
type Scene = (stage: Stage) => Promise<Locator | undefined>;

/** How large a picture of the whole window is, and the window in which that of a node is as wide. */
export const wholeWindow = { width: 1280, height: 800 };
const aroundNode = { width: wholeWindow.width + 48, height: wholeWindow.height + 48 };

const { bots, contacts } = SEEDED;

/** Of the node; it never changes. */
const displayName = 'Chatbot Service';

const leads = [
	{ id: contacts.telegram, name: 'Анна', city: 'Казань' },
	{ id: '50O2', name: 'Иван', city: 'Москва' },
	{ id: contacts.viber, name: 'Мария', city: 'Самара' },
];

const send = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '=Здравствуйте, {{ $json.name }}! Ждём вас завтра в 18:30.',
};

/** The pictures by the names of their files. */
export const scenes: Record<string, Scene> = {
	'node-panel': async ({ api, editor, credential }) => {
		const { id } = await api.createWorkflow(workflowOver('Broadcast', leads, undefined, credential));
		await editor.openWorkflow(id);
		const panel = await editor.addNode();
		await panel.search('телеграм');
		await panel.untilOffered(displayName);
		return undefined;
	},

	'send-message': async (stage) => {
		const details = await openOver(stage, leads.slice(0, 1), { name: 'Send message', parameters: send });
		await details.execute();
		return details.window;
	},

	'tag-from-list': async (stage) => {
		const details = await openOver(stage, leads, {
			name: 'Attach tag',
			parameters: {
				resource: 'tag',
				operation: 'attach',
				contactId: '={{ $json.id }}',
				botId: String(bots.flowers),
			},
		});
		await details.executePrevious();
		const list = details.list('tagName');
		await list.open();
		await list.untilLoaded();
		return details.window;
	},

	'error-with-item': async (stage) => {
		const details = await openOver(stage, leads, {
			name: 'Send message',
			parameters: send,
			onError: 'continueErrorOutput',
		});
		await details.execute();
		await details.output.items(1);
		return details.window;
	},

	pace: async (stage) => {
		const many = Array.from({ length: 400 }, (_, index) => ({ ...leads[0], id: contacts.telegram + index }));
		const details = await openOver(stage, many, { name: 'Send message', parameters: send });
		await details.executePrevious();
		await details.output.untilHinted();
		return details.window;
	},

	credential: async ({ editor, credential }) => await editor.openCredential(credential.name),

	'welcome-new-leads': async ({ editor, examples }) => {
		await editor.openWorkflow(examples.get('welcome-new-leads.json')!);
		await editor.executeWorkflow();
		await editor.fitCanvas();
		return undefined;
	},
};

async function openOver(
	{ api, editor, credential }: Stage,
	items: object[],
	step: Step,
): Promise<NodeDetails> {
	await editor.page.setViewportSize(aroundNode);
	const { id } = await api.createWorkflow(workflowOver(step.name, items, step, credential));
	await editor.openWorkflow(id);
	return await editor.openNode(step.name);
}
