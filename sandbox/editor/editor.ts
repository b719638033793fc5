import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

import type { Owner } from '../host';
import { PATIENCE_MS, startBrowser } from './browser';
import { CredentialDialog } from './credentialDialog';
import { NodeDetails } from './nodeDetails';
import { NodePanel } from './nodePanel';

export interface EditorOptions {
	url: string;
	owner: Pick<Owner, 'email' | 'password'>;
	pictures: string;
	size?: { width: number; height: number };
}

export interface Complaint {
	kind: 'error' | 'warning' | 'exception';
	text: string;
	/** The URL of the script or of the answer that the entry is about. */
	source: string;
}

export interface Note {
	text: string;
	/** Whether the note is too small for its text. */
	isCutOff: boolean;
	/** Whether a node covers its text. */
	isCovered: boolean;
}

/** A rectangle of the window. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

export interface Framing {
	/** The whole window by default; a selector of several elements stands for their common area. */
	part?: Locator | Area;
	margin?: number;
	/** Selectors of elements to hide. */
	without?: string[];
	/** Whether a spinner keeps its position instead of the one at the start, for pictures one after the other. */
	moving?: boolean;
}

const NOTE = '.n8n-sticky';

export async function openEditor(options: EditorOptions): Promise<Editor> {
	const browser = await startBrowser();
	try {
		const context = await browser.newContext({
			baseURL: options.url,
			viewport: options.size ?? { width: 1440, height: 900 },
			locale: 'en-GB',
			colorScheme: 'light',
			reducedMotion: 'reduce',
		});
		context.setDefaultTimeout(PATIENCE_MS);
		const outside = await closeToOutside(context, options.url);
		// From then on, the context sends the cookie of the answer.
		const login = await context.request.post('/rest/login', {
			data: { emailOrLdapLoginId: options.owner.email, password: options.owner.password },
		});
		if (!login.ok()) throw new Error(`n8n refused the login with ${login.status()}: ${await login.text()}`);
		return new Editor(browser, await context.newPage(), options.pictures, outside);
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/** Blocks requests to other hosts. @returns the URLs of these requests, as they arrive */
async function closeToOutside(context: BrowserContext, url: string): Promise<string[]> {
	const outside: string[] = [];
	await context.route(
		({ origin, protocol }) => protocol.startsWith('http') && origin !== url,
		async (route) => {
			outside.push(route.request().url());
			await route.abort();
		},
	);
	return outside;
}

/** n8n's editor as one person uses it. */
export class Editor {
	/** All errors and warnings of the browser so far, except for blocked requests. */
	readonly complaints: Complaint[] = [];
	readonly nodePanel: NodePanel;
	readonly details: NodeDetails;
	readonly credential: CredentialDialog;

	constructor(
		private readonly browser: Browser,
		readonly page: Page,
		private readonly pictures: string,
		/** URLs of other hosts that the editor requested and that were blocked. */
		readonly outside: readonly string[],
	) {
		this.nodePanel = new NodePanel(page);
		this.credential = new CredentialDialog(page);
		this.details = new NodeDetails(page);
		page.on('console', (message) => {
			const kind = message.type();
			if (kind !== 'error' && kind !== 'warning') return;
			const { url } = message.location();
			if (!outside.includes(url)) this.complaints.push({ kind, text: message.text(), source: url });
		});
		page.on('pageerror', ({ message, stack }) =>
			this.complaints.push({ kind: 'exception', text: message, source: stack ?? '' }),
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

	async notes(): Promise<Note[]> {
		const nodes = await boxesOf(this.drawing.filter({ hasNot: this.page.locator(NOTE) }));
		const notes = await this.page.locator(NOTE).all();
		return await Promise.all(
			notes.map(async (note) => {
				const [paper] = await boxesOf(note);
				const lines = await boxesOf(note.locator('h2, h3, p, li'));
				const isCutOff = Math.max(...lines.map(({ bottom }) => bottom)) > paper!.bottom;
				const isCovered = lines.some((line) => nodes.some((node) => overlap(line, node)));
				return { text: await note.innerText(), isCutOff, isCovered };
			}),
		);
	}

	async addFirstStep(): Promise<NodePanel> {
		await this.page.getByTestId('canvas-plus-button').click();
		await this.nodePanel.untilShown();
		return this.nodePanel;
	}

	async addNode(): Promise<NodePanel> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.nodePanel.untilShown();
		return this.nodePanel;
	}

	async openNode(name: string): Promise<NodeDetails> {
		const node = this.page.locator(`[data-test-id="canvas-node"][data-node-name=${JSON.stringify(name)}]`);
		await node.dblclick();
		await this.details.untilShown();
		return this.details;
	}

	async newCredential(type: string): Promise<CredentialDialog> {
		const { page } = this;
		await page.goto('/home/credentials');
		await page.getByTestId('add-resource-credential').click();
		await page.getByTestId('new-credential-type-select').getByRole('combobox').fill(type);
		const option = page.getByTestId('new-credential-type-select-option');
		await option.getByText(type, { exact: true }).click();
		await page.getByTestId('new-credential-type-button').click();
		await this.credential.untilShown();
		return this.credential;
	}

	/** Opens a stored credential, which shows the outcome of its test. */
	async openCredential(name: string): Promise<CredentialDialog> {
		await this.page.goto('/home/credentials');
		const card = this.page.getByTestId('resources-list-item').getByText(name, { exact: true });
		await card.click();
		await this.credential.untilTested();
		return this.credential;
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

	async executeWorkflow(): Promise<void> {
		await this.startWorkflow();
		await this.untilEnded();
	}

	/** Starts the workflow, and waits until it runs. */
	async startWorkflow(): Promise<void> {
		await this.executeButton.click();
		await this.stopButton.waitFor();
	}

	/** @param timeout in milliseconds */
	async untilEnded(timeout?: number): Promise<void> {
		await this.stopButton.waitFor({ state: 'hidden', timeout });
		await this.executeButton.getByText('Execute workflow').waitFor();
	}

	get executeButton(): Locator {
		return this.page.getByTestId('execute-workflow-button').first();
	}

	get stopButton(): Locator {
		return this.page.getByTestId('stop-execution-button');
	}

	/** The messages that n8n shows in the corner for some seconds. */
	get notification(): Locator {
		return this.page.locator('.el-notification').first();
	}

	zoomIn = () => this.page.getByTestId('zoom-in-button').click();
	fitCanvas = () => this.page.getByTestId('zoom-to-fit').click();

	/** All nodes and notes of the workflow. */
	get drawing(): Locator {
		return this.page.locator('.vue-flow__node');
	}

	/** Takes a screenshot of the window, or of a part of it. @returns its file */
	async picture(name: string, framing?: Framing): Promise<string> {
		await mkdir(this.pictures, { recursive: true });
		const path = join(this.pictures, `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')}.png`);
		await writeFile(path, await this.screenshot(framing));
		return path;
	}

	/** @returns a PNG of the window, or of a part of it */
	async screenshot({ part, margin = 0, without = [], moving = false }: Framing = {}): Promise<Buffer> {
		return await this.page.screenshot({
			clip: part && ('x' in part ? part : await this.frameOf(part, margin)),
			animations: moving ? 'allow' : 'disabled',
			style: without.map((selector) => `${selector} { visibility: hidden !important; }`).join('\n'),
		});
	}

	close = () => this.browser.close();

	/** The rectangle around all elements of a locator, within the window. */
	private async frameOf(part: Locator, margin: number) {
		await part.first().waitFor();
		const boxes = await boxesOf(part);
		const { width, height } = this.page.viewportSize()!;
		const x = Math.max(0, Math.min(...boxes.map(({ left }) => left)) - margin);
		const y = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - margin);
		return {
			x,
			y,
			width: Math.min(width, Math.max(...boxes.map(({ right }) => right)) + margin) - x,
			height: Math.min(height, Math.max(...boxes.map(({ bottom }) => bottom)) + margin) - y,
		};
	}
}

interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** The positions of all elements of a locator in the window. */
async function boxesOf(locator: Locator): Promise<Box[]> {
	return await locator.evaluateAll((elements) =>
		elements.map((element) => {
			const { left, top, right, bottom } = element.getBoundingClientRect();
			return { left, top, right, bottom };
		}),
	);
}

function overlap(one: Box, other: Box): boolean {
	return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
