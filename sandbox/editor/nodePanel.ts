import type { Locator, Page } from 'playwright-core';

/** The panel for finding and selecting nodes ("node creator" in n8n's own terms). */
export class NodePanel {
	constructor(private readonly page: Page) {}

	untilShown = () => this.searchBox.waitFor();
	search = (text: string) => this.searchBox.fill(text);

	/** The nodes in the panel, or the actions of the selected node. */
	async entries(): Promise<string[]> {
		return (await this.names.allInnerTexts()).map((name) => name.trim());
	}

	untilOffered = (name: string) => this.entry(name).waitFor();
	pick = (name: string) => this.entry(name).click();

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
