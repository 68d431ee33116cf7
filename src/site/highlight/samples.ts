/** A few lines of each common language, with what most blocks hold, so that its usual patterns are compiled early. */
export const SAMPLES: Readonly<Record<string, string>> = {
  shellscript: `# Install
npm install --save-dev "package@1" && export TOKEN='x' PORT=\${PORT:-80}
curl -X POST https://example.com/v1 \\
  -H "Authorization: Bearer $TOKEN" -d '{"a": 1}' | jq . > out.json
if [ -f .env ]; then source .env; fi
for f in *.md; do echo "$f"; done`,
  javascript: `import { a, b as c } from 'pkg'
// comment
const client = new Client({ key: process.env.KEY, list: [1, true, null] })
async function main(x = 1, ...rest) {
  try { const { data } = await client.get(\`/u/\${x}?q=1\`) } catch (error) { throw new Error('no') }
  return rest.map((item) => item.name).filter(Boolean)
}
app.get('/', (req, res) => { res.json({ ok: !x && y > 2 ? 'a' : "b" }) })
export default class A extends B { static #p = /re/g; get z() { return this.#p } }`,
  typescript: `import type { A } from './a'
/** Doc. */
export interface User<T = string> { readonly id: number; name?: T; tags: string[] }
type Key = keyof User | 'x'
const map: Record<string, unknown> = { a: 1 as const, [key]: value }
export async function get<T extends object>(id: string, opts: Options = {}): Promise<T | null> {
  const res = await fetch(\`/api/\${id}\`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(opts) })
  if (!res.ok) throw new Error('x')
  for (const item of list) console.log(item!, (await res.json()) as T)
  return null
}
class B<T> implements A { constructor(private readonly x: T) {} @dec() method(): void {} }
enum C { One = 1 }`,
  tsx: `import { useState } from 'react'
export default function App({ title, children }: { title: string; children?: React.ReactNode }) {
  const [n, setN] = useState<number>(0)
  useEffect(() => { load(n).then((r) => setN(r.n)) }, [n])
  return <div className="a" onClick={() => setN(n + 1)} style={{ a: 1 }}>{items.map((i) => <Item key={i.id} {...i} />)} text {n > 0 ? 'x' : \`\${title}\`}<></></div>
}`,
  python: `import os
from typing import Optional
# comment
@app.route("/x")
class A(Base):
    """Doc."""
    name: str = "x"
    async def run(self, key: Optional[str] = None, *args, **kwargs) -> dict[str, int]:
        with open(f"{key}.txt", "r") as f:
            data = [line.strip() for line in f if line and not line.startswith('#')]
        try:
            return {"a": 1.5, 'b': True, "c": await get(url, headers={"k": os.environ["K"]})}
        except ValueError as e:
            raise RuntimeError("no") from e
client = Client(api_key="x")
print(client.get(id=1).json())
if __name__ == "__main__": main()`,
  json: `{ "a": "text\\n", "b": [1, -2.5e3, true, null], "c": { "d": "https://example.com" } }`,
  yaml: `# comment
name: test
on: [push]
list:
  - key: "value"
    number: 3
    text: |
      lines
    ref: \${{ secrets.X }}
? a
: &x b`,
  html: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" /><style>a { color: red }</style>
<script type="module">const a = 1; f(\`x\`)</script></head>
<body class="a" onclick="f()"><!-- c --><p id='b'>text &amp; more</p></body></html>`,
  css: `/* c */
@media (min-width: 10px) { .a > #b:hover::before, a[href^="x"] { color: #fff; margin: 0 1.5rem calc(1px + 2%); --x: var(--y, red); background: url("a.png") !important } }`,
  go: `package main

import (
	"fmt"
)

// comment
type User struct {
	Name string \`json:"name"\`
}

func (u *User) Get(ctx context.Context, id int) (map[string]interface{}, error) {
	if err := run(ctx, &u.Name); err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	for i, v := range []string{"a"} { go func() { ch <- v }() }
	const x = 1.5
	return nil, nil
}`,
  rust: `use std::collections::HashMap;
/// Doc
#[derive(Debug, Clone)]
pub struct User<'a> { pub name: &'a str, id: Option<u64> }
impl User<'_> {
    pub async fn get(&mut self, x: Vec<String>) -> Result<(), Box<dyn Error>> {
        let mut n = x.iter().map(|v| v.len()).sum::<usize>() + 1_000;
        match self.id { Some(i) if i > 2 => println!("{}", i), _ => return Err("x".into()) }
        client.query("SELECT 1", ()).await?;
        Ok(())
    }
}`,
  sql: `-- comment
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x');
SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN b ON b.id = u.id WHERE name LIKE '%a' AND n > 1.5 GROUP BY 1 ORDER BY n DESC LIMIT 10;
INSERT INTO a (b) VALUES (?, :x);`,
  http: `POST /v1/x?y=1 HTTP/1.1
Host: example.com
Content-Type: application/json

{ "a": 1 }`,
  diff: `--- a/x
+++ b/x
@@ -1,2 +1,2 @@
-old
+new
 same`,
  toml: `# c
[a.b]
key = "x"
list = [1, true, 2020-01-01]
[[c]]
d = { e = 'f' }`,
  java: `package a.b;
import java.util.List;
/** Doc. */
@Bean
public class A<T> extends B implements C {
  private static final String X = "x";
  public List<String> get(@Param("a") int n) throws IOException { if (n > 0) { return new ArrayList<>(); } // c
    list.stream().map(i -> i.name()).forEach(System.out::println); return null; }
}`,
  xml: `<?xml version="1.0"?>
<!-- c --><a:b xmlns:a="x" c='d'><e>text &lt;</e><f /></a:b>`,
}
