import { dataFor, doing, fixtures, prepare, serviceFor, wanted } from '../fixtures/workflows';
import { runSaved } from './harness';

/* Workflows that earlier versions of the package have saved do today what they did then. */

test.each(fixtures.map((fixture) => [`${fixture.version}, ${fixture.name}`, fixture] as const))(
	'a saved workflow does today what it did when it was saved: %s',
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
