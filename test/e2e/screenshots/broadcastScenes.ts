import type { Locator } from 'playwright-core';

import { chained, manualTrigger, ourNode } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { labelOf } from '../../operations/words';
import { drawNumber } from './drawing';
import type { Language, Scene, Stage } from './scene';

/* The steps of a broadcast, as README describes them. */

/** The names that n8n gives the nodes. */
const [contacts, send] = ['Get many contacts', 'Send message to contact'];

const broadcast = { en: 'autumn-sale', ru: 'осень-2026' };

const city = { name: 'Город', value: 'Казань' };

/** Opens the workflow, which has not run yet. */
async function openBroadcast({ api, credential, editor, service }: Stage, language: Language) {
	service.reset();
	for (const { id, variables } of addContacts(service.data, 11))
		variables.push({ id, ...city, deletable: false });
	const getMany = {
		name: contacts,
		parameters: {
			resource: 'contact',
			operation: 'getAll',
			botId: String(SEEDED.bots.school),
			returnAll: true,
			filters: { variables: { conditions: [{ ...city, condition: 'equals' }] } },
		},
	};
	const message = {
		name: send,
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: '={{ $json.id }}',
			text: '=Здравствуйте, {{ $json.name }}!\nУ нас осенние скидки!',
			options: { sendOncePer: broadcast[language], testRun: { values: { contactId: '5004', messages: 1 } } },
		},
	};
	const steps = [getMany, message].map((node) => ourNode(node, credential));
	const { id } = await api.createWorkflow(chained('Broadcast', [manualTrigger, ...steps]));
	await editor.openWorkflow(id);
}

/** Hides the fields of a group, in the view that lists the fields. */
const collapse = (pane: Locator, group: string) =>
	pane.locator('.schema-item').filter({ hasText: group }).locator('.toggle').first().click();

export const broadcastScenes: Record<string, Scene> = {
	contact: {
		size: { width: 1400, height: 652 },
		async show(stage) {
			await openBroadcast(stage, 'en');
			const details = await stage.editor.openNode(contacts);
			await details.execute();
			const { pane } = details.output;
			await pane.getByTestId('radio-button-schema').click();
			await collapse(pane, 'utm');
			return { part: pane };
		},
	},

	send: {
		size: { width: 1088, height: 1076 },
		inRussian: true,
		async show(stage, language) {
			await openBroadcast(stage, language);
			const { editor } = stage;
			const previous = await editor.openNode(contacts);
			await previous.execute();
			await previous.close();
			const { inputPane, settingsPane, parameters, window } = await editor.openNode(send);
			await collapse(inputPane, 'utm');
			const field = (name: string) => inputPane.locator(`[data-path=".${name}"]`);
			const label = (path: string) =>
				parameters.locator('label').getByText(labelOf('message/send', path), { exact: true }).first();
			await drawNumber(1, field('id'), 'left');
			await drawNumber(1, label('contactId'), 'right');
			await drawNumber(2, field('name'), 'left');
			await drawNumber(2, label('text'), 'right');
			await drawNumber(3, label('options.sendOncePer'), 'right');
			await drawNumber(4, label('options.testRun'), 'right');
			return {
				part: window.locator('header').or(inputPane).or(settingsPane),
				// Without the output, which is empty.
				style: '[data-test-id="ndv"] header { width: 730px; }',
			};
		},
	},
};
