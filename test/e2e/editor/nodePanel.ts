import type { Locator, Page } from 'playwright-core';

/** The panel for finding and selecting nodes ("node creator" in n8n's own terms). */
export class NodePanel {
	readonly window: Locator;
	readonly searchBox: Locator;
	private readonly names: Locator;

	constructor(page: Page) {
		this.window = page.getByTestId('node-creator');
		this.searchBox = page.getByTestId('node-creator-search-bar');
		this.names = this.window.getByTestId('node-creator-item-name');
	}

	untilShown = () => this.searchBox.waitFor();
	search = (text: string) => this.searchBox.fill(text);

	/** The nodes in the panel, or the actions of the selected node. */
	async entries(): Promise<string[]> {
		return (await this.names.allInnerTexts()).map((name) => name.trim());
	}

	entry = (name: string) => this.names.getByText(name, { exact: true }).first();
	pick = (name: string) => this.entry(name).click();
}
