import type { Locator, Page } from 'playwright-core';

/** The dialog in which a credential is filled in, tested and saved. */
export class CredentialDialog {
	private readonly dialog: Locator;
	/** The outcome of the test. */
	readonly banner: Locator;

	constructor(private readonly page: Page) {
		this.dialog = page.getByTestId('editCredential-modal');
		this.banner = this.dialog.locator('.el-tag').filter({ visible: true });
	}

	/** Waits for the dialog and for the default name of a new credential; before that, the credential cannot be saved. */
	untilShown = () => this.dialog.getByTestId('credential-name').filter({ hasText: /\S/ }).waitFor();
	untilHidden = () => this.dialog.waitFor({ state: 'hidden' });

	/** A field, by the name of its property. */
	input = (name: string) => this.dialog.getByTestId(`parameter-input-${name}`).locator('input');
	fill = (name: string, text: string) => this.input(name).fill(text);

	/** Saves, which tests the credential too, and waits for the outcome of the test. */
	async save(): Promise<void> {
		const tested = this.page.waitForResponse((response) => response.url().endsWith('/rest/credentials/test'));
		await this.dialog.getByTestId('credential-save-button').click();
		await tested;
	}
}
