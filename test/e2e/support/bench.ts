import { join } from 'node:path';

import { type Service, type ServiceOptions, startService } from '../../../sandbox/service';
import { openSandbox, type Sandbox } from '../../../sandbox/start/sandbox';
import { foldersOfTests, packedPackage } from './environment';

/** A stand-in service and an n8n with the package installed, both of a test file's own. */
export interface Bench extends Sandbox {
	service: Service;
}

/** The user folder of the n8n on the bench of that name. */
export const userFolderOf = (name: string) => join(foldersOfTests, name);

/** Sets one up as `npm start` does. The name is that of the user folder: a new one is that of a first start. */
export async function openBench(name: string, serviceOptions?: ServiceOptions): Promise<Bench> {
	const service = await startService(serviceOptions);
	try {
		const sandbox = await openSandbox({
			userFolder: userFolderOf(name),
			packed: packedPackage(),
			service,
			log: () => {},
		});
		const stop = async () => {
			await sandbox.stop();
			await service.stop();
		};
		return { ...sandbox, service, stop };
	} catch (error) {
		await service.stop();
		throw error;
	}
}
