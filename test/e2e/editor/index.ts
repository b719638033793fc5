import type { Browser, Locator, Page } from 'playwright-core';

import { owner } from '../../../sandbox/start/sandbox';
import { PATIENCE_MS, startBrowser } from './browser';
import { CredentialDialog } from './credentialDialog';
import { NodeDetails } from './nodeDetails';
import { NodePanel } from './nodePanel';

export type { NodeDetails };

/** What the browser has logged, or an exception. */
export interface Complaint {
	text: string;
	/** The URL of the script or of the answer that the entry is about. */
	source: string;
}

/** Opens the editor of an n8n, whose owner is logged in. @param locale of the browser */
export async function openEditor(url: string, locale = 'en-GB'): Promise<Editor> {
	const browser = await startBrowser();
	try {
		const context = await browser.newContext({
			baseURL: url,
			viewport: { width: 1440, height: 900 },
			locale,
			colorScheme: 'light',
			reducedMotion: 'reduce',
		});
		context.setDefaultTimeout(PATIENCE_MS);
		const outside: string[] = [];
		const isOutside = ({ origin, protocol }: URL) => protocol.startsWith('http') && origin !== url;
		await context.route(isOutside, async (route) => {
			outside.push(route.request().url());
			await route.abort();
		});
		// From then on, the context sends the cookie of the answer.
		const login = await context.request.post('/rest/login', {
			data: { emailOrLdapLoginId: owner.email, password: owner.password },
		});
		if (!login.ok()) throw new Error(`n8n refused the login with ${login.status()}: ${await login.text()}`);
		return new Editor(browser, await context.newPage(), outside);
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/** n8n's editor as a person sees and uses it, in n8n's own terms. */
export class Editor {
	/** All errors and warnings of the browser so far, except for blocked requests. */
	readonly complaints: Complaint[] = [];
	readonly details: NodeDetails;
	readonly nodePanel: NodePanel;
	readonly credential: CredentialDialog;

	constructor(
		private readonly browser: Browser,
		readonly page: Page,
		/** URLs of other hosts that the editor requested and that were blocked. */
		readonly outside: readonly string[],
	) {
		this.nodePanel = new NodePanel(page);
		this.credential = new CredentialDialog(page);
		this.details = new NodeDetails(page);
		page.on('console', (message) => {
			const { url } = message.location();
			if (['error', 'warning'].includes(message.type()) && !outside.includes(url))
				this.complaints.push({ text: message.text(), source: url });
		});
		page.on('pageerror', ({ message, stack }) =>
			this.complaints.push({ text: message, source: stack ?? '' }),
		);
	}

	async openHome(): Promise<void> {
		await this.page.goto('/home/workflows');
		await this.page.getByTestId('add-resource-workflow').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
		await this.page.getByTestId('node-view-loader').waitFor({ state: 'detached' });
	}

	async newWorkflow(): Promise<void> {
		await this.page.getByTestId('add-resource-workflow').click();
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	/** Opens the node panel in a workflow that is empty. */
	addFirstStep = () => this.openNodePanel(this.page.getByTestId('canvas-plus-button'));
	addNode = () => this.openNodePanel(this.page.getByTestId('node-creator-plus-button'));

	private async openNodePanel(button: Locator): Promise<NodePanel> {
		await button.click();
		await this.nodePanel.untilShown();
		return this.nodePanel;
	}

	/** The button that adds a node behind another one. */
	plusBehind = (name: string) =>
		this.page
			.locator(`[data-test-id="canvas-node-output-handle"][data-node-name=${JSON.stringify(name)}]`)
			.getByTestId('canvas-handle-plus');

	async openNode(name: string): Promise<NodeDetails> {
		const node = this.page.locator(`[data-test-id="canvas-node"][data-node-name=${JSON.stringify(name)}]`);
		await node.dblclick();
		await this.details.untilShown();
		return this.details;
	}

	/** Stores the changes of the open workflow. */
	async save(): Promise<void> {
		const stored = this.page.waitForResponse(
			(response) =>
				response.request().method() === 'PATCH' && /\/rest\/workflows\/[^/]+$/.test(response.url()),
		);
		await this.page.keyboard.press('Control+s');
		await stored;
	}

	fitCanvas = () => this.page.getByTestId('zoom-to-fit').click();

	/** All nodes and notes of the workflow. */
	get drawing(): Locator {
		return this.page.locator('.vue-flow__node');
	}

	close = () => this.browser.close();
}

/** The positions of all elements of a locator in the window. */
export async function boxesOf(locator: Locator) {
	return await locator.evaluateAll((elements) =>
		elements.map((element) => {
			const { left, top, right, bottom } = element.getBoundingClientRect();
			return { left, top, right, bottom };
		}),
	);
}
