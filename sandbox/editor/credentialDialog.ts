import type { Locator, Page } from 'playwright-core';

/** The dialog in which a credential is filled in, tested and saved. */
export class CredentialDialog {
	constructor(private readonly page: Page) {}

	/** Waits for the dialog and for the default name of a new credential; before that, the credential cannot be saved. */
	untilShown = () => this.dialog.getByTestId('credential-name').filter({ hasText: /\S/ }).waitFor();
	untilHidden = () => this.dialog.waitFor({ state: 'hidden' });

	/** Waits for the outcome of the test of a stored credential, which n8n repeats whenever it is opened. */
	untilTested = () => this.banner.waitFor();

	/** For screenshots: makes the dialog as high as its fields, so that it does not scroll; the window has to be high enough. */
	async unroll(): Promise<void> {
		await this.page.addStyleTag({
			content: '.el-dialog { height: auto !important; max-height: none !important; }',
		});
	}

	/** For screenshots: makes a field show another text; the credential does not change. */
	async disguise(name: string, text: string): Promise<void> {
		const field = this.dialog.getByTestId(`parameter-input-${name}`).locator('input');
		await field.evaluate((input, value) => Object.assign(input, { value }), text);
	}

	/** The outcome of the test and all fields, for screenshots. */
	get form(): Locator {
		return this.banner.or(this.dialog.getByTestId('credential-connection-parameter'));
	}

	/** @param name of the property, not its label */
	async fill(name: string, text: string): Promise<void> {
		await this.dialog.getByTestId(`parameter-input-${name}`).locator('input').fill(text);
	}

	/** Toggles a switch. @returns whether it is on afterwards */
	async toggle(name: string): Promise<boolean> {
		const field = this.dialog.getByTestId(`parameter-input-${name}`);
		await field.locator('.el-switch').click();
		return await field.getByRole('switch').isChecked();
	}

	/** Saves, which tests the credential too, and waits for the outcome of the test. */
	async save(): Promise<void> {
		const { page } = this;
		const tested = page.waitForResponse((response) => response.url().endsWith('/rest/credentials/test'));
		await this.dialog.getByTestId('credential-save-button').click();
		await tested;
	}

	async outcome(): Promise<string> {
		const { banner } = this;
		const more = banner.getByText('More details', { exact: true });
		if (await more.isVisible()) await more.click();
		const words = await banner.allInnerTexts();
		return words.join('\n').replace(/\s+/g, ' ').trim();
	}

	async close(): Promise<void> {
		await this.dialog.getByRole('button', { name: 'Close this dialog' }).click();
		await this.untilHidden();
	}

	private get banner() {
		return this.dialog.locator('.el-tag').filter({ visible: true });
	}

	private get dialog() {
		return this.page.getByTestId('editCredential-modal');
	}
}
