/** Opens a resource before the tests of a file, and closes it after them. @returns the resource, empty until then */
export function duringTests<Opened extends { stop(): Promise<void> }>(open: () => Promise<Opened>): Opened {
	const opened: Partial<Opened> = {};
	beforeAll(async () => void Object.assign(opened, await open()));
	afterAll(async () => await opened.stop?.());
	return opened as Opened;
}
