import type { Locator, Page } from 'playwright-core';

/** The panel in which nodes are searched for and picked ("node creator" in n8n's own terms). */
export class NodePanel {
	constructor(private readonly page: Page) {}

	async untilShown(): Promise<void> {
		await this.searchBox.waitFor();
	}

	async search(text: string): Promise<void> {
		await this.searchBox.fill(text);
	}

	/** What is offered: nodes, or the actions of the node that was picked. */
	async entries(): Promise<string[]> {
		return (await this.names.allInnerTexts()).map((name) => name.trim());
	}

	/** Waits until a node or an action is offered. */
	async untilOffered(name: string): Promise<void> {
		await this.entry(name).waitFor();
	}

	/** Picks a node or an action. */
	async pick(name: string): Promise<void> {
		await this.entry(name).click();
	}

	/** All of it, for pictures. */
	get window(): Locator {
		return this.page.getByTestId('node-creator');
	}

	private get searchBox() {
		return this.page.getByTestId('node-creator-search-bar');
	}

	private entry(name: string) {
		return this.names.getByText(name, { exact: true }).first();
	}

	private get names() {
		return this.window.getByTestId('node-creator-item-name');
	}
}
