import type { Locator, Page } from 'playwright-core';

import { CredentialDialog } from './credentialDialog';
import { Output } from './output';
import { ResourceList } from './resourceList';

/** A visible parameter. */
export interface Field {
	name: string;
	label: string;
}

/** The window of an open node: its parameters, input and output. */
export class NodeDetails {
	readonly output: Output;

	constructor(private readonly page: Page) {
		this.output = new Output(page);
	}

	async untilShown(): Promise<void> {
		await this.parameters.waitFor();
	}

	/** The name that the node has in the workflow. */
	async title(): Promise<string> {
		return await this.window.getByTestId('node-title-container').innerText();
	}

	/** All visible parameters in order, including Resource and Operation. */
	async fields(): Promise<Field[]> {
		return await this.parameters.locator('label[for]').evaluateAll((labels) =>
			labels
				// The parameters of the settings exist too, but are hidden.
				.filter((label) => label.getClientRects().length > 0)
				.map((label) => ({
					name: label.getAttribute('for') ?? '',
					label: label.querySelector('.n8n-text')?.textContent?.trim() ?? '',
				})),
		);
	}

	/** All texts beside the parameters; scrolls to a parameter, for the screenshot. */
	async text(name: string): Promise<string> {
		await this.parameters.locator(`label[for="${name}"]`).scrollIntoViewIfNeeded();
		return await this.parameters.innerText();
	}

	/** The texts of the notices between the parameters. */
	async notices(): Promise<string[]> {
		return await this.parameters.locator('.notice-content').filter({ visible: true }).allInnerTexts();
	}

	/** What a parameter shows: the text of a field, or the label of the selected option. */
	async value(name: string): Promise<string> {
		return await this.parameter(name).locator('input, textarea').last().inputValue();
	}

	/** Fills in a text or a number. */
	async fill(name: string, text: string): Promise<void> {
		const field = this.parameter(name).locator('input, textarea');
		await field.fill(text);
		// The editor reads a text shortly after the last key, and immediately when the field loses focus.
		await field.blur();
	}

	/** Selects an option of a parameter by its label. */
	async choose(name: string, label: string): Promise<void> {
		await this.pickOption(name, label);
		await this.box(name).and(this.page.locator('[aria-expanded="false"]')).waitFor();
	}

	/** Adds an option to a parameter with several options, or removes it. */
	async toggleOption(name: string, label: string): Promise<void> {
		await this.pickOption(name, label);
		// This list stays open and covers other fields.
		await this.page.keyboard.press('Escape');
		await this.box(name).and(this.page.locator('[aria-expanded="false"]')).waitFor();
	}

	/** The labels of the selected options of a parameter with several options. */
	async chosen(name: string): Promise<string[]> {
		return await this.parameter(name).locator('.el-select__tags-text').allInnerTexts();
	}

	/** Whether a switch parameter is on. */
	async isOn(name: string): Promise<boolean> {
		return await this.parameter(name).getByRole('switch').isChecked();
	}

	/** Toggles a switch parameter. */
	async toggle(name: string): Promise<void> {
		await this.parameter(name).locator('.el-switch').click();
	}

	/** The list of a parameter whose value can be selected. */
	list(name: string): ResourceList {
		return new ResourceList(this.page, name);
	}

	/** Creates a credential for the node, which has none yet. */
	async connect(): Promise<CredentialDialog> {
		await this.window.getByTestId('node-credentials-empty-state').getByRole('button').click();
		const dialog = new CredentialDialog(this.page);
		await dialog.untilShown();
		return dialog;
	}

	/** The name of the credential that the node uses. */
	async credential(): Promise<string> {
		return await this.window.getByTestId('node-credentials-select').getByRole('combobox').inputValue();
	}

	/** Runs this node, and previous nodes that have not run. */
	async execute(): Promise<void> {
		await this.run(async () => await this.window.getByTestId('node-execute-button').click());
		await this.output.untilRun();
	}

	/** The number of items from the previous node, after it has run. */
	async inputCount(): Promise<number> {
		return Number.parseInt(await this.inputCounts.first().innerText(), 10);
	}

	/** Runs the previous nodes. */
	async executePrevious(): Promise<void> {
		await this.run(async () => await this.window.getByTestId('execute-previous-node').click());
		await this.inputCounts.first().waitFor();
	}

	/** Closes the window if it is open. */
	async close(): Promise<void> {
		if (!(await this.window.isVisible())) return;
		await this.window.getByTestId('ndv-close-button').click();
		await this.window.waitFor({ state: 'hidden' });
	}

	/** Waits for the end: the old contents of the panes disappear when n8n has accepted the run. */
	private async run(start: () => Promise<void>): Promise<void> {
		const taken = this.page.waitForResponse(
			(response) => /\/rest\/workflows\/[^/]+\/run$/.test(response.url()) && response.ok(),
		);
		await start();
		await taken;
		await this.window.locator('[data-test-id="node-execute-button"]:enabled').waitFor();
	}

	private async pickOption(name: string, label: string): Promise<void> {
		// Not in the middle, where a selected option may have a button that removes it.
		await this.parameter(name).locator('.el-select__caret').click();
		const box = this.box(name);
		await box.and(this.page.locator('[aria-expanded="true"]')).waitFor();
		const options = this.page.locator(`#${await box.getAttribute('aria-controls')}`).getByRole('option');
		const headline = this.page.locator('.option-headline').getByText(label, { exact: true });
		await options.filter({ has: headline }).click();
	}

	/** A parameter with several options has a search box before its own box. */
	private box(name: string) {
		return this.parameter(name).getByRole('combobox').last();
	}

	private parameter(name: string) {
		return this.parameters.getByTestId(`parameter-input-${name}`);
	}

	/** One for each previous node, the nearest first. */
	private get inputCounts() {
		return this.window.getByTestId('ndv-input-panel').getByTestId('run-data-schema-node-item-count');
	}

	private get parameters() {
		return this.window.getByTestId('node-parameters');
	}

	/** The middle pane with the parameters, for screenshots. */
	get settings(): Locator {
		return this.window.locator('.node-settings');
	}

	/** The whole window, for screenshots. */
	get window(): Locator {
		return this.page.getByTestId('ndv');
	}
}
