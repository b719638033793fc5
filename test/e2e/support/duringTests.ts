/** Opens something before the tests of a file, and stops it after them. @returns what is opened, empty until then */
export function duringTests<Opened extends { stop(): Promise<void> }>(open: () => Promise<Opened>): Opened {
	const opened: Partial<Opened> = {};
	beforeAll(async () => void Object.assign(opened, await open()));
	afterAll(async () => await opened.stop?.());
	return opened as Opened;
}
