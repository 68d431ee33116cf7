import { referenceWords } from './reference.ts'
import { fillText, type Word, type WordsOf } from './words.ts'

/** What parts of a page say. A page’s HTML is the same in all languages: there the word stands in English, and is exchanged when the document is made. */
// prettier-ignore
export const partWords = {
  note: {
    en: 'Note', ar: 'ملاحظة', ca: 'Nota', cs: 'Poznámka', da: 'Bemærk', de: 'Hinweis', es: 'Nota', fi: 'Huomautus',
    fr: 'Remarque', he: 'הערה', hi: 'टिप्पणी', hu: 'Megjegyzés', id: 'Catatan', it: 'Nota', ja: 'メモ', ko: '참고',
    lv: 'Piezīme', nl: 'Opmerking', no: 'Merk', pl: 'Uwaga', pt: 'Nota', 'pt-BR': 'Nota', ro: 'Notă',
    ru: 'Примечание', sv: 'Obs', tr: 'Not', uk: 'Примітка', uz: 'Izoh', vi: 'Ghi chú', 'zh-Hans': '备注',
    'zh-Hant': '備註',
  },
  info: {
    en: 'Information', ar: 'معلومات', ca: 'Informació', cs: 'Informace', da: 'Information', de: 'Information',
    es: 'Información', fi: 'Tietoa', fr: 'Information', he: 'מידע', hi: 'जानकारी', hu: 'Információ', id: 'Informasi',
    it: 'Informazione', ja: '情報', ko: '정보', lv: 'Informācija', nl: 'Informatie', no: 'Informasjon', pl: 'Informacja',
    pt: 'Informação', 'pt-BR': 'Informação', ro: 'Informație', ru: 'Информация', sv: 'Information', tr: 'Bilgi',
    uk: 'Інформація', uz: 'Maʼlumot', vi: 'Thông tin', 'zh-Hans': '信息', 'zh-Hant': '資訊',
  },
  tip: {
    en: 'Tip', ar: 'نصيحة', ca: 'Consell', cs: 'Tip', da: 'Tip', de: 'Tipp', es: 'Consejo', fi: 'Vihje', fr: 'Astuce',
    he: 'טיפ', hi: 'सुझाव', hu: 'Tipp', id: 'Tips', it: 'Suggerimento', ja: 'ヒント', ko: '팁', lv: 'Padoms', nl: 'Tip',
    no: 'Tips', pl: 'Wskazówka', pt: 'Sugestão', 'pt-BR': 'Dica', ro: 'Sfat', ru: 'Совет', sv: 'Tips', tr: 'İpucu',
    uk: 'Порада', uz: 'Maslahat', vi: 'Mẹo', 'zh-Hans': '提示', 'zh-Hant': '提示',
  },
  success: {
    en: 'Success', ar: 'نجاح', ca: 'Correcte', cs: 'Úspěch', da: 'Lykkedes', de: 'Erfolg', es: 'Correcto',
    fi: 'Onnistui', fr: 'Réussite', he: 'הצלחה', hi: 'सफलता', hu: 'Siker', id: 'Berhasil', it: 'Riuscito', ja: '成功',
    ko: '성공', lv: 'Izdevās', nl: 'Gelukt', no: 'Vellykket', pl: 'Sukces', pt: 'Sucesso', 'pt-BR': 'Sucesso',
    ro: 'Reușit', ru: 'Успех', sv: 'Lyckades', tr: 'Başarılı', uk: 'Успіх', uz: 'Muvaffaqiyat', vi: 'Thành công',
    'zh-Hans': '成功', 'zh-Hant': '成功',
  },
  warning: {
    en: 'Warning', ar: 'تحذير', ca: 'Avís', cs: 'Upozornění', da: 'Advarsel', de: 'Warnung', es: 'Advertencia',
    fi: 'Varoitus', fr: 'Avertissement', he: 'אזהרה', hi: 'चेतावनी', hu: 'Figyelmeztetés', id: 'Peringatan',
    it: 'Avvertenza', ja: '警告', ko: '경고', lv: 'Brīdinājums', nl: 'Waarschuwing', no: 'Advarsel', pl: 'Ostrzeżenie',
    pt: 'Aviso', 'pt-BR': 'Aviso', ro: 'Avertisment', ru: 'Предупреждение', sv: 'Varning', tr: 'Uyarı',
    uk: 'Попередження', uz: 'Ogohlantirish', vi: 'Cảnh báo', 'zh-Hans': '警告', 'zh-Hant': '警告',
  },
  danger: {
    en: 'Danger', ar: 'خطر', ca: 'Perill', cs: 'Nebezpečí', da: 'Fare', de: 'Gefahr', es: 'Peligro', fi: 'Vaara',
    fr: 'Danger', he: 'סכנה', hi: 'खतरा', hu: 'Veszély', id: 'Bahaya', it: 'Pericolo', ja: '危険', ko: '위험',
    lv: 'Bīstami', nl: 'Gevaar', no: 'Fare', pl: 'Niebezpieczeństwo', pt: 'Perigo', 'pt-BR': 'Perigo', ro: 'Pericol',
    ru: 'Опасно', sv: 'Fara', tr: 'Tehlike', uk: 'Небезпека', uz: 'Xavf', vi: 'Nguy hiểm', 'zh-Hans': '危险',
    'zh-Hant': '危險',
  },
  required: {
    en: 'required', ar: 'مطلوب', ca: 'obligatori', cs: 'povinné', da: 'påkrævet', de: 'erforderlich',
    es: 'obligatorio', fi: 'pakollinen', fr: 'requis', he: 'חובה', hi: 'आवश्यक', hu: 'kötelező', id: 'wajib',
    it: 'obbligatorio', ja: '必須', ko: '필수', lv: 'obligāts', nl: 'verplicht', no: 'påkrevd', pl: 'wymagane',
    pt: 'obrigatório', 'pt-BR': 'obrigatório', ro: 'obligatoriu', ru: 'обязательно', sv: 'obligatorisk',
    tr: 'zorunlu', uk: 'обовʼязково', uz: 'majburiy', vi: 'bắt buộc', 'zh-Hans': '必填', 'zh-Hant': '必填',
  },
  deprecated: {
    en: 'deprecated', ar: 'مهمل', ca: 'obsolet', cs: 'zastaralé', da: 'forældet', de: 'veraltet', es: 'obsoleto',
    fi: 'vanhentunut', fr: 'obsolète', he: 'הוצא משימוש', hi: 'अप्रचलित', hu: 'elavult', id: 'usang', it: 'deprecato',
    ja: '非推奨', ko: '사용 중단됨', lv: 'novecojis', nl: 'verouderd', no: 'foreldet', pl: 'przestarzałe', pt: 'obsoleto',
    'pt-BR': 'obsoleto', ro: 'învechit', ru: 'устарело', sv: 'föråldrad', tr: 'kullanımdan kaldırıldı',
    uk: 'застаріле', uz: 'eskirgan', vi: 'không dùng nữa', 'zh-Hans': '已弃用', 'zh-Hant': '已棄用',
  },
  default: {
    en: 'default', ar: 'الافتراضي', ca: 'per defecte', cs: 'výchozí', da: 'standard', de: 'Standard',
    es: 'predeterminado', fi: 'oletus', fr: 'par défaut', he: 'ברירת מחדל', hi: 'डिफ़ॉल्ट', hu: 'alapértelmezett',
    id: 'bawaan', it: 'predefinito', ja: 'デフォルト', ko: '기본값', lv: 'noklusējums', nl: 'standaard', no: 'standard',
    pl: 'domyślnie', pt: 'predefinição', 'pt-BR': 'padrão', ro: 'implicit', ru: 'по умолчанию', sv: 'standard',
    tr: 'varsayılan', uk: 'типово', uz: 'standart', vi: 'mặc định', 'zh-Hans': '默认值', 'zh-Hant': '預設值',
  },
  example: {
    en: 'example', ar: 'مثال', ca: 'exemple', cs: 'příklad', da: 'eksempel', de: 'Beispiel', es: 'ejemplo',
    fi: 'esimerkki', fr: 'exemple', he: 'דוגמה', hi: 'उदाहरण', hu: 'példa', id: 'contoh', it: 'esempio', ja: '例',
    ko: '예시', lv: 'piemērs', nl: 'voorbeeld', no: 'eksempel', pl: 'przykład', pt: 'exemplo', 'pt-BR': 'exemplo',
    ro: 'exemplu', ru: 'пример', sv: 'exempel', tr: 'örnek', uk: 'приклад', uz: 'misol', vi: 'ví dụ', 'zh-Hans': '示例',
    'zh-Hant': '範例',
  },
  request: {
    en: 'Request', ar: 'الطلب', ca: 'Petició', cs: 'Požadavek', da: 'Forespørgsel', de: 'Anfrage', es: 'Solicitud',
    fi: 'Pyyntö', fr: 'Requête', he: 'בקשה', hi: 'अनुरोध', hu: 'Kérés', id: 'Permintaan', it: 'Richiesta',
    ja: 'リクエスト', ko: '요청', lv: 'Pieprasījums', nl: 'Verzoek', no: 'Forespørsel', pl: 'Żądanie', pt: 'Pedido',
    'pt-BR': 'Requisição', ro: 'Cerere', ru: 'Запрос', sv: 'Begäran', tr: 'İstek', uk: 'Запит', uz: 'Soʻrov',
    vi: 'Yêu cầu', 'zh-Hans': '请求', 'zh-Hant': '請求',
  },
  response: {
    en: 'Response', ar: 'الاستجابة', ca: 'Resposta', cs: 'Odpověď', da: 'Svar', de: 'Antwort', es: 'Respuesta',
    fi: 'Vastaus', fr: 'Réponse', he: 'תגובה', hi: 'प्रतिक्रिया', hu: 'Válasz', id: 'Respons', it: 'Risposta',
    ja: 'レスポンス', ko: '응답', lv: 'Atbilde', nl: 'Antwoord', no: 'Svar', pl: 'Odpowiedź', pt: 'Resposta',
    'pt-BR': 'Resposta', ro: 'Răspuns', ru: 'Ответ', sv: 'Svar', tr: 'Yanıt', uk: 'Відповідь', uz: 'Javob',
    vi: 'Phản hồi', 'zh-Hans': '响应', 'zh-Hant': '回應',
  },
  showAll: {
    en: 'Show all lines ({count})', ar: 'إظهار كل الأسطر ({count})', ca: 'Mostra totes les línies ({count})',
    cs: 'Zobrazit všechny řádky ({count})', da: 'Vis alle linjer ({count})', de: 'Alle Zeilen zeigen ({count})',
    es: 'Mostrar todas las líneas ({count})', fi: 'Näytä kaikki rivit ({count})',
    fr: 'Afficher toutes les lignes ({count})', he: 'הצג את כל השורות ({count})',
    hi: 'सभी पंक्तियाँ दिखाएँ ({count})', hu: 'Összes sor ({count})', id: 'Tampilkan semua baris ({count})',
    it: 'Mostra tutte le righe ({count})', ja: 'すべての行を表示（{count}）', ko: '모든 줄 보기({count})',
    lv: 'Rādīt visas rindas ({count})', nl: 'Alle regels tonen ({count})', no: 'Vis alle linjer ({count})',
    pl: 'Pokaż wszystkie wiersze ({count})', pt: 'Mostrar todas as linhas ({count})',
    'pt-BR': 'Mostrar todas as linhas ({count})', ro: 'Arată toate rândurile ({count})',
    ru: 'Показать все строки ({count})', sv: 'Visa alla rader ({count})', tr: 'Tüm satırları göster ({count})',
    uk: 'Показати всі рядки ({count})', uz: 'Barcha satrlar ({count})', vi: 'Hiện tất cả các dòng ({count})',
    'zh-Hans': '显示全部行（{count}）', 'zh-Hant': '顯示所有行（{count}）',
  },
  linkTo: {
    en: 'Link to “{text}”', ar: 'رابط إلى «{text}»', ca: 'Enllaç a «{text}»', cs: 'Odkaz na „{text}“',
    da: 'Link til »{text}«', de: 'Link zu „{text}“', es: 'Enlace a «{text}»', fi: 'Linkki: ”{text}”',
    fr: 'Lien vers « {text} »', he: 'קישור אל „{text}”', hi: '“{text}” का लिंक', hu: 'Hivatkozás ide: „{text}”',
    id: 'Tautan ke “{text}”', it: 'Collegamento a «{text}»', ja: '「{text}」へのリンク', ko: '“{text}” 링크',
    lv: 'Saite uz “{text}”', nl: 'Link naar ‘{text}’', no: 'Lenke til «{text}»', pl: 'Link do „{text}”',
    pt: 'Ligação para «{text}»', 'pt-BR': 'Link para “{text}”', ro: 'Link către „{text}”', ru: 'Ссылка на «{text}»',
    sv: 'Länk till ”{text}”', tr: '“{text}” bağlantısı', uk: 'Посилання на «{text}»', uz: '“{text}” havolasi',
    vi: 'Liên kết đến “{text}”', 'zh-Hans': '“{text}”的链接', 'zh-Hant': '「{text}」的連結',
  },
  showLess: {
    en: 'Show less', ar: 'إظهار أقل', ca: 'Mostra’n menys', cs: 'Zobrazit méně', da: 'Vis mindre',
    de: 'Weniger zeigen', es: 'Mostrar menos', fi: 'Näytä vähemmän', fr: 'Afficher moins', he: 'הצג פחות',
    hi: 'कम दिखाएँ', hu: 'Kevesebb', id: 'Tampilkan lebih sedikit', it: 'Mostra meno', ja: '折りたたむ', ko: '간략히 보기',
    lv: 'Rādīt mazāk', nl: 'Minder tonen', no: 'Vis mindre', pl: 'Pokaż mniej', pt: 'Mostrar menos',
    'pt-BR': 'Mostrar menos', ro: 'Arată mai puțin', ru: 'Свернуть', sv: 'Visa mindre', tr: 'Daha az göster',
    uk: 'Згорнути', uz: 'Kamroq', vi: 'Thu gọn', 'zh-Hans': '收起', 'zh-Hant': '收合',
  },
  copyText: {
    en: 'Copy “{text}”', ar: 'نسخ «{text}»', ca: 'Copia «{text}»', cs: 'Kopírovat „{text}“', da: 'Kopiér »{text}«',
    de: '„{text}“ kopieren', es: 'Copiar «{text}»', fi: 'Kopioi ”{text}”', fr: 'Copier « {text} »', he: 'העתק „{text}”',
    hi: '“{text}” कॉपी करें', hu: '„{text}” másolása', id: 'Salin “{text}”', it: 'Copia «{text}»', ja: '「{text}」をコピー',
    ko: '“{text}” 복사', lv: 'Kopēt “{text}”', nl: '‘{text}’ kopiëren', no: 'Kopier «{text}»', pl: 'Kopiuj „{text}”',
    pt: 'Copiar «{text}»', 'pt-BR': 'Copiar “{text}”', ro: 'Copiază „{text}”', ru: 'Копировать «{text}»',
    sv: 'Kopiera ”{text}”', tr: '“{text}” kopyala', uk: 'Копіювати «{text}»', uz: '“{text}” nusxasini olish',
    vi: 'Sao chép “{text}”', 'zh-Hans': '复制“{text}”', 'zh-Hant': '複製「{text}」',
  },
  prompt: {
    en: 'Prompt', ar: 'الموجّه', ca: 'Instrucció', cs: 'Zadání', da: 'Prompt', de: 'Prompt', es: 'Instrucción',
    fi: 'Kehote', fr: 'Invite', he: 'הנחיה', hi: 'प्रॉम्प्ट', hu: 'Utasítás', id: 'Prompt', it: 'Prompt', ja: 'プロンプト',
    ko: '프롬프트', lv: 'Uzvedne', nl: 'Prompt', no: 'Ledetekst', pl: 'Polecenie', pt: 'Instrução', 'pt-BR': 'Prompt',
    ro: 'Solicitare', ru: 'Промпт', sv: 'Prompt', tr: 'İstem', uk: 'Промпт', uz: 'Prompt', vi: 'Câu lệnh',
    'zh-Hans': '提示词', 'zh-Hant': '提示詞',
  },
  copyPrompt: {
    en: 'Copy prompt', ar: 'نسخ الموجّه', ca: 'Copia la instrucció', cs: 'Kopírovat zadání', da: 'Kopiér prompt',
    de: 'Prompt kopieren', es: 'Copiar instrucción', fi: 'Kopioi kehote', fr: 'Copier l’invite', he: 'העתק הנחיה',
    hi: 'प्रॉम्प्ट कॉपी करें', hu: 'Utasítás másolása', id: 'Salin prompt', it: 'Copia prompt', ja: 'プロンプトをコピー',
    ko: '프롬프트 복사', lv: 'Kopēt uzvedni', nl: 'Prompt kopiëren', no: 'Kopier ledetekst', pl: 'Kopiuj polecenie',
    pt: 'Copiar instrução', 'pt-BR': 'Copiar prompt', ro: 'Copiază solicitarea', ru: 'Копировать промпт',
    sv: 'Kopiera prompt', tr: 'İstemi kopyala', uk: 'Копіювати промпт', uz: 'Promptni nusxalash',
    vi: 'Sao chép câu lệnh', 'zh-Hans': '复制提示词', 'zh-Hant': '複製提示詞',
  },
  openIn: {
    en: 'Open in {name}', ar: 'فتح في {name}', ca: 'Obre a {name}', cs: 'Otevřít v {name}', da: 'Åbn i {name}',
    de: 'In {name} öffnen', es: 'Abrir en {name}', fi: 'Avaa: {name}', fr: 'Ouvrir dans {name}', he: 'פתח ב־{name}',
    hi: '{name} में खोलें', hu: 'Megnyitás itt: {name}', id: 'Buka di {name}', it: 'Apri in {name}', ja: '{name} で開く',
    ko: '{name}에서 열기', lv: 'Atvērt ar {name}', nl: 'Openen in {name}', no: 'Åpne i {name}', pl: 'Otwórz w {name}',
    pt: 'Abrir no {name}', 'pt-BR': 'Abrir no {name}', ro: 'Deschide în {name}', ru: 'Открыть в {name}',
    sv: 'Öppna i {name}', tr: '{name} ile aç', uk: 'Відкрити в {name}', uz: '{name} da ochish', vi: 'Mở trong {name}',
    'zh-Hans': '在 {name} 中打开', 'zh-Hant': '在 {name} 中開啟',
  },
  show: {
    en: 'Show {count}', ar: 'إظهار {count}', ca: 'Mostra {count}', cs: 'Zobrazit {count}', da: 'Vis {count}',
    de: '{count} zeigen', es: 'Mostrar {count}', fi: 'Näytä {count}', fr: 'Afficher {count}', he: 'הצג {count}',
    hi: '{count} दिखाएँ', hu: '{count} megjelenítése', id: 'Tampilkan {count}', it: 'Mostra {count}', ja: '{count} を表示',
    ko: '{count} 보기', lv: 'Rādīt {count}', nl: '{count} tonen', no: 'Vis {count}', pl: 'Pokaż {count}',
    pt: 'Mostrar {count}', 'pt-BR': 'Mostrar {count}', ro: 'Arată {count}', ru: 'Показать {count}', sv: 'Visa {count}',
    tr: '{count} göster', uk: 'Показати {count}', uz: '{count}ni koʻrsatish', vi: 'Hiện {count}',
    'zh-Hans': '显示 {count}', 'zh-Hant': '顯示 {count}',
  },
  showMore: {
    en: 'Show more', ar: 'إظهار المزيد', ca: 'Mostra’n més', cs: 'Zobrazit více', da: 'Vis mere', de: 'Mehr zeigen',
    es: 'Mostrar más', fi: 'Näytä lisää', fr: 'Afficher plus', he: 'הצג עוד', hi: 'अधिक दिखाएँ', hu: 'Több',
    id: 'Tampilkan lebih banyak', it: 'Mostra di più', ja: 'さらに表示', ko: '더 보기', lv: 'Rādīt vairāk',
    nl: 'Meer tonen', no: 'Vis mer', pl: 'Pokaż więcej', pt: 'Mostrar mais', 'pt-BR': 'Mostrar mais',
    ro: 'Arată mai mult', ru: 'Показать ещё', sv: 'Visa mer', tr: 'Daha fazla göster', uk: 'Показати більше',
    uz: 'Koʻproq', vi: 'Hiện thêm', 'zh-Hans': '显示更多', 'zh-Hant': '顯示更多',
  },
  readMore: {
    en: 'Read more', ar: 'اقرأ المزيد', ca: 'Llegeix-ne més', cs: 'Číst dál', da: 'Læs mere', de: 'Mehr lesen',
    es: 'Leer más', fi: 'Lue lisää', fr: 'En savoir plus', he: 'קרא עוד', hi: 'और पढ़ें', hu: 'Tovább',
    id: 'Baca selengkapnya', it: 'Leggi di più', ja: '続きを読む', ko: '더 읽기', lv: 'Lasīt vairāk', nl: 'Meer lezen',
    no: 'Les mer', pl: 'Czytaj więcej', pt: 'Ler mais', 'pt-BR': 'Leia mais', ro: 'Citește mai mult',
    ru: 'Подробнее', sv: 'Läs mer', tr: 'Devamını oku', uk: 'Читати далі', uz: 'Batafsil', vi: 'Đọc thêm',
    'zh-Hans': '阅读更多', 'zh-Hant': '閱讀更多',
  },
  ...referenceWords,
} as const satisfies Readonly<Record<string, Word>>

export type PartWords = WordsOf<typeof partWords>

const mark = ' data-word="'
/** What may follow a mark: another attribute that holds the word, or the end of the tag, and the word behind it. */
const label = ' aria-label="'

/** The body of a page with the words that are marked in it exchanged. Linear in its length. */
export function inLanguage(html: string, words: PartWords | undefined): string {
  if (words === undefined) return html
  let out = ''
  let from = 0
  let isInTag = false
  for (let at = html.indexOf(mark); at !== -1; at = html.indexOf(mark, from)) {
    const before = html.slice(from, at)
    const [opened, closed] = [before.lastIndexOf('<'), before.lastIndexOf('>')]
    // Text that only looks like a mark stands in no tag.
    isInTag = opened === closed ? isInTag : opened > closed
    const end = html.indexOf('"', at + mark.length)
    if (end === -1) break
    const [name = '', ...rest] = html.slice(at + mark.length, end).split(':')
    const count = rest.join(':')
    const start = end + 1 + (html.startsWith(label, end + 1) ? label.length : 1)
    const word = Object.hasOwn(words, name) ? words[name as keyof PartWords] : undefined
    const stop = start === end + 2 ? '<' : '"'
    const isWord = word !== undefined && isInTag && (stop === '"' || html[end + 1] === '>')
    const next = isWord ? html.indexOf(stop, start) : end + 1
    if (next === -1) break
    // What a label says of the page stands between its quotes.
    const text = isWord && word.includes('{text}') ? quoted(html.slice(start, next)) : ''
    out += isWord ? html.slice(from, start) + fillText(word, { count, text, name: count }) : html.slice(from, next)
    if (isWord) isInTag = stop === '"'
    from = next
  }
  return out + html.slice(from)
}

/** Escaped already, as all that is exchanged is. */
const quoted = (written: string): string => written.slice(written.indexOf('“') + 1, written.lastIndexOf('”'))
