import type { Locator, Page } from 'playwright-core';

import { CredentialDialog } from './credentialDialog';
import { Output } from './output';
import { ResourceList } from './resourceList';
import { ResourceMapper } from './resourceMapper';

/** The window of an open node: its parameters, input and output. */
export class NodeDetails {
	readonly window: Locator;
	readonly inputPane: Locator;
	/** The pane in the middle, with its tabs. */
	readonly settingsPane: Locator;
	readonly parameters: Locator;
	readonly mapper: ResourceMapper;
	readonly output: Output;
	readonly settingsTab: Locator;

	constructor(private readonly page: Page) {
		this.window = page.getByTestId('ndv');
		this.inputPane = this.window.getByTestId('ndv-input-panel');
		this.settingsPane = this.window.locator('.node-settings');
		this.parameters = this.window.getByTestId('node-parameters');
		this.mapper = new ResourceMapper(page);
		this.output = new Output(page);
		this.settingsTab = this.window.getByTestId('tab-settings');
	}

	untilShown = () => this.parameters.waitFor();
	title = () => this.window.getByTestId('node-title-container').innerText();

	/** Scrolls until a parameter is in the middle pane. */
	show = (name: string) => this.parameters.locator(`label[for="${name}"]`).scrollIntoViewIfNeeded();

	/** What a parameter shows: the text of a field, or the label of the selected option. */
	value = (name: string) => this.parameter(name).locator('input, textarea').last().inputValue();

	async fill(name: string, text: string): Promise<void> {
		const field = this.parameter(name).locator('input, textarea');
		await field.fill(text);
		// The editor reads a text shortly after the last key, and immediately when the field loses focus.
		await field.blur();
	}

	list = (name: string) => new ResourceList(this.page, name);

	/** Creates a credential for the node, which has none yet. */
	async connect(): Promise<CredentialDialog> {
		await this.window.getByTestId('node-credentials-empty-state').getByRole('button').click();
		const dialog = new CredentialDialog(this.page);
		await dialog.untilShown();
		return dialog;
	}

	credential = () => this.window.getByTestId('node-credentials-select').getByRole('combobox').inputValue();

	/** Runs this node, and previous nodes that have not run. */
	async execute(): Promise<void> {
		await this.run('node-execute-button');
		await this.output.untilRun();
	}

	async executePrevious(): Promise<void> {
		await this.run('execute-previous-node');
		await this.inputPane.getByTestId('run-data-schema-node-item-count').first().waitFor();
	}

	/** Closes the window if it is open. */
	async close(): Promise<void> {
		if (!(await this.window.isVisible())) return;
		await this.window.getByTestId('ndv-close-button').click();
		await this.window.waitFor({ state: 'hidden' });
	}

	/** Waits for the end: the old contents of the panes disappear when n8n has accepted the run. */
	private async run(button: string): Promise<void> {
		const taken = this.page.waitForResponse(
			(response) => /\/rest\/workflows\/[^/]+\/run$/.test(response.url()) && response.ok(),
		);
		await this.window.getByTestId(button).click();
		await taken;
		await this.window.locator('[data-test-id="node-execute-button"]:enabled').waitFor();
	}

	parameter = (name: string) => this.parameters.getByTestId(`parameter-input-${name}`);
	input = (name: string) => this.parameter(name).locator('input');
	switch = (name: string) => this.parameter(name).locator('.el-switch');

	/** The button of a collection, whose text is a placeholder. */
	addButton = (text: string) =>
		this.parameters.getByPlaceholder(text, { exact: true }).filter({ visible: true });

	/** The bin of the values of an option, visible only under the pointer. */
	get deleteItem(): Locator {
		return this.parameters.getByTestId('fixed-collection-delete');
	}

	/** An option of the open list. */
	option = (label: string) => this.page.getByRole('option').getByText(label, { exact: true });

	/** A field of the input, in the view that lists the fields. */
	inputField = (name: string) => this.inputPane.getByText(name, { exact: true });
}
