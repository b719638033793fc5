import { dataFor, doing, fixtures, prepare, serviceFor, wanted } from '../fixtures/workflows';
import { runSaved } from './harness';

/* Workflows that earlier versions of the package saved still run in the same way. */

test.each(fixtures.map((fixture) => [`${fixture.version}, ${fixture.name}`, fixture] as const))(
	'a saved workflow still runs in the same way: %s',
	async (_title, fixture) => {
		const service = await serviceFor(fixture.credential);
		prepare(service, fixture);
		try {
			const { outputs, error } = await runSaved(fixture.workflow, dataFor(fixture.credential, service));
			expect(doing(fixture, service, outputs, error)).toEqual(wanted(fixture));
			service.assertContract();
		} finally {
			await service.stop();
		}
	},
);
