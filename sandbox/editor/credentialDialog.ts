import type { Page } from 'playwright-core';

import type { Hand } from './hand';

/** The dialog in which a credential is filled in, tested and saved. */
export class CredentialDialog {
	constructor(
		private readonly page: Page,
		private readonly hand: Hand,
	) {}

	async untilShown(): Promise<void> {
		await this.dialog.waitFor();
	}

	async isShown(): Promise<boolean> {
		return await this.dialog.isVisible();
	}

	/** @param name of the property, not its label */
	async fill(name: string, text: string): Promise<void> {
		await this.hand.fill(this.dialog.getByTestId(`parameter-input-${name}`).locator('input'), text);
	}

	/** Saves, which tests the credential too, and waits for the outcome of the test. */
	async save(): Promise<void> {
		const { page } = this;
		const tested = page.waitForResponse((response) => response.url().endsWith('/rest/credentials/test'));
		await this.hand.click(this.dialog.getByTestId('credential-save-button'));
		await tested;
	}

	/** The outcome of the last test in the dialog's words, with all of its details. */
	async outcome(): Promise<string> {
		const banner = this.dialog.locator('.el-tag').filter({ visible: true });
		const more = banner.getByText('More details', { exact: true });
		if (await more.isVisible()) await this.hand.click(more);
		const words = await banner.allInnerTexts();
		return words.join('\n').replace(/\s+/g, ' ').trim();
	}

	async close(): Promise<void> {
		await this.hand.click(this.dialog.getByRole('button', { name: 'Close this dialog' }));
		await this.dialog.waitFor({ state: 'hidden' });
	}

	private get dialog() {
		return this.page.getByTestId('editCredential-modal');
	}
}
