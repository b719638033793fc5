/*
 * The node's own words on the page of a question. They are for the person who answers, not for the person in n8n's editor, so they
 * follow the language of that person's browser. The question and the labels of the buttons come from the workflow.
 */

const english = {
	/** The attribute `lang` of the page. */
	language: 'en',
	/** Title of a page whose question has none. */
	question: 'Question',
	thanks: 'Thank you',
	received: 'Thank you. Your answer was received. You can close this page.',
	noButton: 'Your answer was not received. Select a button.',
	emptyText: 'Your answer is empty. Enter a text.',
	tooLong: (most: number) => `Your answer is too long. Shorten it to ${most} characters.`,
	stale: {
		heading: 'This question is closed',
		text: 'It was answered already, or a newer question has replaced it.',
	},
	notShown: {
		heading: 'This page cannot be shown',
		text: 'Your answer was not received. Open the link again later.',
	},
};

export type PageWords = typeof english;

const russian: PageWords = {
	language: 'ru',
	question: 'Вопрос',
	thanks: 'Спасибо',
	received: 'Спасибо, ответ получен. Страницу можно закрыть.',
	noButton: 'Ответ не получен. Нажмите на кнопку.',
	emptyText: 'Ответ пустой. Напишите текст.',
	tooLong: (most) => `Ответ слишком длинный. Сократите его до ${most} символов.`,
	stale: {
		heading: 'Вопрос закрыт',
		text: 'На него уже ответили, или его заменил более новый вопрос.',
	},
	notShown: {
		heading: 'Страница не открывается',
		text: 'Ответ не получен. Откройте ссылку позже.',
	},
};

/** @param accepted the header Accept-Language, in which browsers name the preferred language first; English if it names neither */
export function pageWordsFor(accepted = ''): PageWords {
	const languages = accepted.split(',').map((each) => each.trim().slice(0, 2).toLowerCase());
	const known = languages.map((each) => [english, russian].find(({ language }) => language === each));
	return known.find(Boolean) ?? english;
}
