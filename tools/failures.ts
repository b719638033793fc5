import * as questions from '../nodes/ChatbotService/ask/questionProblems';
import type { Expected } from '../nodes/ChatbotService/client/failure/advice';
import * as failures from '../nodes/ChatbotService/client/failure/failure';
import type { Failure, Problem } from '../nodes/ChatbotService/client/failure/failure';
import * as listItems from '../nodes/ChatbotService/resources/listItem/itemProblems';
import * as shared from '../nodes/ChatbotService/resources/problems';
import { contactId, messenger } from '../nodes/ChatbotService/resources/fields';
import { sendingHours } from '../nodes/ChatbotService/resources/message/sendingHours';
import { sendOncePer } from '../nodes/ChatbotService/resources/message/options';
import { messageSend } from '../nodes/ChatbotService/resources/message/send';
import { messageSendAndWait } from '../nodes/ChatbotService/resources/message/sendAndWait';
import { unknownMessage } from '../nodes/ChatbotService/resources/message/recipient';
import { maxDateAndTime } from '../nodes/ChatbotService/resources/message/waitLimit';
import { expectedBy } from '../nodes/ChatbotService/resources/operationRequest';
import * as problems from '../nodes/ChatbotService/run/values/valueProblems';
import { noProxy, noTimeout } from '../nodes/ChatbotService/run/values/requestOptions';

/*
 * Every failure and every problem that the node can report, with sample values. Tests read what users are told about them, and the
 * tables in docs/errors.md are written from them. TypeScript refuses a failure without a sample.
 */

/** Stands for the label of any field, as in the documents. */
export const anyLabel = '…';

/** Stands for any number in a message, as `anyLabel` does for a label. */
export const anyNumber = 4711;

/** What the service says about a failure, if it says anything. */
export const words = 'Бот остановлен';

const [contact] = expectedBy(contactId) as [Expected];

const { name: question } = messageSendAndWait.option;

/** Fields of which a message needs at least one. */
const contents = messageSend.fields.filter(({ routing }) =>
	messageSend.atLeastOneOf!.includes(routing?.send.property ?? ''),
);

const { allowedRecipients, ofRun } = messageSend.broadcast!;

const { displayName: allowed } = allowedRecipients;

const choice = { ...contactId, displayName: anyLabel, options: [{ name: 'Any', value: '…' }] };

type AllProblems = typeof problems & typeof questions & typeof shared & typeof listItems;

/** What the service or n8n says, if it says anything: without words, and with words. */
const both = <T>(make: (words?: string) => T): T[] => [make(), make(words)];

const wrote = { code: '{{ … }}', word: 'Infinity' };

/** The problems that do not depend on the kind of a field. */
export const everyProblem: Record<keyof AllProblems, Problem[]> = {
	emptyField: [problems.emptyField(anyLabel)],
	unprotected: [problems.unprotected(anyLabel)],
	withoutValues: [shared.withoutValues(sendingHours.displayName)],
	lostPart: [problems.lostPart(sendOncePer.displayName, ['{{ $json.order }}'])],
	neverRepeated: [problems.neverRepeated(sendOncePer.displayName, '={{ $now }}')],
	wroteWord: [problems.wroteWord(anyLabel, wrote, 'Infinity ₽')],
	wrongChoice: problems.wrongChoice(choice, 'x'),
	nothingToSend: [problems.nothingToSend(contents)],
	sentTwice: [problems.sentTwice({ ...choice, displayName: 'Phone Number or Messenger ID' }, choice)],
	wrongPeriod: [shared.wrongPeriod('Created After', 'Created Before')],
	noFilter: [shared.noFilter('Filters')],
	testerIsRecipient: [shared.testerIsRecipient(anyLabel)],
	testerReadsItem: [shared.testerReadsItem(anyLabel)],
	sameTimes: [shared.sameTimes(sendingHours.displayName, '09:00')],
	mustBeSame: [problems.mustBeSame(sendingHours.displayName, { from: '09:00', until: '21:00' })],
	fromModel: [problems.fromModel(allowed)],
	notAllowed: [problems.notAllowed(allowed, anyLabel, 1048576)],
	fieldsNotLoaded: [listItems.fieldsNotLoaded('Fields')],
	unknownFields: [listItems.unknownFields([['…', 'price']])],
	noSuchField: [listItems.noSuchField(anyLabel, 'Price', [['price', 'Price, ₽']])],
	severalOrders: [listItems.severalOrders(anyLabel, 'price, stock')],
	ownColumn: [listItems.ownColumn(anyLabel, 'created_at')],
	repeatedSlug: [listItems.repeatedSlug(anyLabel, 'price')],
	notInMax: shared.notInMax(messenger.displayName, 'max').problems,
	unreadableProblem: both((said) => problems.unreadableProblem(anyLabel, new Error(said))),
	withoutStore: both((said = '') => problems.withoutStore(sendOncePer.displayName, said)),
	severalQuestions: [questions.severalQuestions(question, anyNumber)],
	cannotWait: [questions.cannotWait(question)],
	unanswerable: both((said = '') => questions.unanswerable(question, said)),
	pastTime: [questions.pastTime(maxDateAndTime.displayName, '2020-01-01T00:00:00')],
	looksAnswered: [questions.looksAnswered('data.approved')],
};

export const everyFailure: Record<keyof typeof failures, Failure[]> = {
	invalidValues: [...Object.values(everyProblem).flat(), noProxy, noTimeout].map((problem) =>
		failures.invalidValues([problem]),
	),
	unknownOperation: [failures.unknownOperation('message', '={{ $json.operation }}')],
	credentialUnreadable: [failures.credentialUnreadable(new Error('Credential does not exist'))],
	credentialDiffers: [failures.credentialDiffers(0, 3)],
	notRecorded: [failures.notRecorded(new Error('Connection terminated'))],
	recordTaken: [failures.recordTaken()],
	inDoubt: [failures.inDoubt(sendOncePer.displayName, unknownMessage)],
	leftUnknown: [failures.leftUnknown(unknownMessage)],
	tokenRefused: both((said) => failures.tokenRefused(said)),
	accessRefused: both((said) => failures.accessRefused({ expected: [], isForeign: false }, said)),
	notFound: both((said) => failures.notFound([contact], said)),
	unknownEndpoint: both((said) => failures.unknownEndpoint(404, [], said)),
	valuesRefused: [
		...both((said = '') => failures.valuesRefused([anyLabel], said)),
		...both((said = '') => failures.valuesRefused([], said)),
	],
	valuesMissing: both((said = '') => failures.valuesMissing([anyLabel], said)),
	tooManyRequests: both((said) => failures.tooManyRequests(undefined, said)),
	serviceFailed: both((said) => failures.serviceFailed(500, undefined, said)),
	underMaintenance: both((said) => failures.underMaintenance(undefined, said)),
	requestTooLong: [failures.requestTooLong()],
	redirected: [failures.redirected(undefined), failures.redirected('https://example.com/login')],
	webPage: [failures.webPage(200, undefined), failures.webPage(404, 'Вход')],
	emptyAnswer: [failures.emptyAnswer()],
	malformedAnswer: [failures.malformedAnswer('OK')],
	unreachable: [failures.unreachable('There is no server with this name.')],
	invalidAddress: [failures.invalidAddress()],
	invalidPace: [failures.invalidPace('быстро')],
	invalidWorkers: [failures.invalidWorkers('два')],
	certificateRefused: [failures.certificateRefused('The reason is CERT_HAS_EXPIRED.')],
	proxyRefused: [failures.proxyRefused()],
	timedOut: [failures.timedOut()],
	interrupted: [failures.interrupted(''), failures.interrupted('The reason is ECONNRESET.')],
	withoutHttps: [failures.withoutHttps()],
	handshakeFailed: [
		failures.handshakeFailed('The server closed the connection.', 'afterTrouble'),
		failures.handshakeFailed('', 'pointless'),
	],
	addressBlocked: [
		failures.addressBlocked(['The request was blocked because it resolves to a restricted IP']),
	],
	refusedByN8n: [failures.refusedByN8n(['Domain not allowed: example.com'])],
	invalidToken: [failures.invalidToken('API Token'), failures.invalidToken('Parameter or Header Name')],
	unconfirmed: both((said) => failures.unconfirmed('Готово', said)),
	endlessPages: [failures.endlessPages('The service returned page 1 instead of page 2.')],
	nobodyFound: [
		failures.nobodyFound(anyLabel, '+79161234567', 1),
		failures.nobodyFound(anyLabel, '+79161234567', 3000),
	],
	keyNotUnique: [failures.keyNotUnique(anyLabel, 'A-1024')],
	keyEncrypted: [failures.keyEncrypted(anyLabel, 'passport')],
	newItemIncomplete: [failures.newItemIncomplete(['…'])],
	filterIgnored: [failures.filterIgnored('price', undefined), failures.filterIgnored('price', 7)],
	noneStored: [true, false].map((isNew) => failures.noneStored('64b7f0c2a1d3e4f5a6000001', ['…'], { isNew })),
	partUnreadable: [
		failures.partUnreadable('tags', [{ id: 7 }]),
		failures.partUnreadable('variables', 'город: Тверь'),
	],
	tooManyForModel: [failures.tooManyForModel(['tags'], anyNumber, 60)],
	manyUnknown: [failures.manyUnknown(anyNumber, failures.serviceFailed(500))],
	notAttempted: [
		failures.notAttempted(failures.tokenRefused()),
		failures.notAttempted(failures.unreachable('')),
	],
	calledOneByOne: [failures.calledOneByOne()],
	tooManyRecipients: [0, 10].map((before) =>
		failures.tooManyRecipients(anyNumber, ofRun.mostRecipients.field.displayName, anyNumber, before),
	),
	testFailed: [failures.testFailed(failures.notFound([contact]))],
	outsideHours: [failures.outsideHours('09:00', '21:00', 'Europe/Moscow', 'Start the workflow again.')],
	unsupportedN8n: [failures.unsupportedN8n('notDone'), failures.unsupportedN8n('unknown')],
	brokenHere: [
		failures.brokenHere(new Error('x is not a function'), 'notDone'),
		failures.brokenHere('x', 'unknown'),
	],
};
