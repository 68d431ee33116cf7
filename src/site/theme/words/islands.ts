import type { Word } from './words.ts'

/** What stands in the place of a component that failed in the browser. */
// prettier-ignore
export const islandWords = {
  failed: {
    en: 'This part of the page does not work.', ar: 'هذا الجزء من الصفحة لا يعمل.', ca: 'Aquesta part de la pàgina no funciona.',
    cs: 'Tato část stránky nefunguje.', da: 'Denne del af siden virker ikke.', de: 'Dieser Teil der Seite funktioniert nicht.',
    es: 'Esta parte de la página no funciona.', fi: 'Tämä sivun osa ei toimi.', fr: 'Cette partie de la page ne fonctionne pas.',
    he: 'חלק זה של הדף אינו פועל.', hi: 'पृष्ठ का यह भाग काम नहीं कर रहा है।', hu: 'Az oldal ezen része nem működik.',
    id: 'Bagian halaman ini tidak berfungsi.', it: 'Questa parte della pagina non funziona.', ja: 'ページのこの部分は動作していません。',
    ko: '페이지의 이 부분이 작동하지 않습니다.', lv: 'Šī lapas daļa nedarbojas.', nl: 'Dit deel van de pagina werkt niet.',
    no: 'Denne delen av siden virker ikke.', pl: 'Ta część strony nie działa.', pt: 'Esta parte da página não funciona.',
    'pt-BR': 'Esta parte da página não funciona.', ro: 'Această parte a paginii nu funcționează.', ru: 'Эта часть страницы не работает.',
    sv: 'Den här delen av sidan fungerar inte.', tr: 'Sayfanın bu bölümü çalışmıyor.', uk: 'Ця частина сторінки не працює.',
    uz: 'Sahifaning bu qismi ishlamayapti.', vi: 'Phần này của trang không hoạt động.', 'zh-Hans': '页面的这一部分无法使用。',
    'zh-Hant': '頁面的這一部分無法使用。',
  },
} satisfies Record<string, Word>
