'use strict';
(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    const main = document.getElementById('main');
    const number = new Intl.NumberFormat('en-US');
    const SVG = 'http://www.w3.org/2000/svg';

    /* Text of a log becomes text nodes and attributes only, so that it cannot become markup. */
    function fill(node, attributes, children) {
        for (const [name, value] of Object.entries(attributes || {}))
            if (name.startsWith('on'))
                node.addEventListener(name.slice(2), value);
            else if (name === 'style')
                for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
            else
                node.setAttribute(name, value);
        for (const child of children.flat(Infinity))
            if (child !== null && child !== undefined) node.append(child);
        return node;
    }
    const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
    const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
    const picture = (width, height, label, ...children) =>
        svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label}, children);
    const rule = (attributes, x1, x2, y1, y2) => svg('line', {x1, x2, y1, y2, ...attributes});
    const label = (x, y, anchor, text) => svg('text', {x, y, 'text-anchor': anchor}, text);
    const code = (text) => el('code', {}, text);
    const details = (title, ...children) => el('details', {}, el('summary', {}, title), children);

    /* ---- the log's lines ---- */

    const fields = (text) => {
        const result = {}, words = text.match(/"[^"]*"|\S+/g) || [];
        for (let i = 0; i + 1 < words.length; i += 2) result[words[i]] = words[i + 1].replace(/^"|"$/g, '');
        return result;
    };
    const machine = [], results = [],
          measures =
              {skid: [], cost: [], memory: [], level: [], sharing: [], sharing_access: [], events: [], service: []};
    const complaints = [];
    let begin = null, end = null, boots = 0;
    for (const line of data.lines) {
        let match;
        if ((match = line.match(/^begin dstest86 (\S+) (\S+) (\d+)/))) {
            begin = {version: match[1], revision: match[2], width: match[3]};
            boots++;
        } else if ((match = line.match(/^end dstest86 (.*)/)))
            end = Object.fromEntries(match[1].split(' ').map((word) => word.split('=')));
        else if ((match = line.match(/^(not )?ok \d+ (\S+)(?: # (SKIP|ERROR)\b ?(.*))?/)))
            results.push({
                id: match[2],
                reason: match[4] || '',
                result: match[3] === 'SKIP' ? 'skip'
                    : match[3] === 'ERROR'  ? 'error'
                    : match[1]              ? 'fail'
                                            : 'pass'
            });
        else if ((match = line.match(/^measure (\w+) (.*)/))) {
            if (measures[match[1]]) measures[match[1]].push(fields(match[2]));
        } else if (/^(error|panic|wrong)\b/.test(line))
            complaints.push(line);
        else if ((match = line.match(/^(\w+) (.+)/)) &&
            !machine.some((old) => old.key === match[1] && old.text === match[2]))
            machine.push({key: match[1], text: match[2]});
    }

    /* ---- pieces ---- */

    const sections = [];
    function section(id, title, about, ...children) {
        sections.push([id, title]);
        main.append(el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, title),
            about ? el('p', {class: 'about'}, about) : null, children));
    }
    const legend = (items) => el('ul', {class: 'legend'},
        items.map(([color, text]) => el('li', {}, el('i', {style: {background: color}}), text)));
    const bar = (share) =>
        el('span', {class: 'track', 'aria-hidden': 'true'}, el('i', {style: {width: (100 * share).toFixed(1) + '%'}}));
    const ratio = (part, whole) => part / whole;
    const percent = (share) => (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0) + ' %';
    const bytes = (n) => n >= 1048576 ? n / 1048576 + ' MiB' : n / 1024 + ' KiB';
    function table(caption, heads, rows) {
        return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
            el('table', {'aria-label': caption},
                el('thead', {},
                    el('tr', {},
                        heads.map((head) => el('th', {scope: 'col', class: head.startsWith('#') ? 'number' : ''},
                                      head.replace(/^#/, ''))))),
                el('tbody', {},
                    rows.map((row) => el('tr', {},
                                 row.map((cell, i) =>
                                             el('td', {class: heads[i].startsWith('#') ? 'number' : ''}, cell)))))));
    }
    const groupBy = (list, key) => {
        const map = new Map();
        for (const item of list) {
            const value = key(item);
            if (!map.has(value)) map.set(value, []);
            map.get(value).push(item);
        }
        return map;
    };
    const ticks = (most, about) => {
        const raw = most / about, power = 10 ** Math.floor(Math.log10(raw || 1));
        const step = Math.max([1, 2, 5, 10].find((n) => n * power >= raw) * power, 1);
        return Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
    };
    const short = (n) => n >= 1e6 ? +(n / 1e6).toPrecision(3) + ' M'
        : n >= 1e4                ? +(n / 1e3).toPrecision(3) + ' k'
                                  : number.format(+n.toPrecision(4));

    /* ---- head ---- */

    const cpu = machine.find((line) => line.key === 'cpu' && /^Genuine|family/.test(line.text));
    const found = cpu && cpu.text.match(/family (\S+) model (\S+) stepping (\S+) signature (\S+) ?(.*)/);
    const modelled = machine.some((line) => line.key === 'cpu' && /hypervisor/.test(line.text));
    const name = found ? found[5] || 'Family ' + found[1] + ' model ' + found[2] : 'A log of dstest86';
    const verdict = end ? end.verdict : 'unfinished';
    const css = {pass: 'pass', fail: 'fail', skip: 'skipped', error: 'error'};
    const verdictClass = css[verdict] || 'error';
    document.title = name + ': ' + verdict + ' · dstest86';
    fill(document.getElementById('head'), {}, [
        el('div', {class: 'over'},
            'dstest86' + (begin ? ' ' + begin.version + ' · ' + begin.revision + ' · ' + begin.width + ' bits' : '')),
        el('div', {class: 'title'}, el('h1', {}, name),
            el('span', {class: 'badge ' + verdictClass, id: 'verdict'}, verdict)),
        found ? el('p', {class: 'under'},
                    'family ' + found[1] + ', model ' + found[2] + ', stepping ' + found[3] + ' · signature ',
                    code(found[4]))
              : null,
        modelled ? el('p', {class: 'notice'},
                       'This log was made under a hypervisor or emulator. Cycles, latencies and ' +
                           'levels are those of the emulation, not of a processor.')
                 : null,
        boots > 1
            ? el('p', {class: 'notice'},
                  'The log has ' + boots +
                      ' boots. Their tests and records are counted together, and the verdict is that of the last.')
            : null,
        end ? null
            : el('p', {class: 'notice'},
                  'The log has no end line: the run was cut short, or a part of the log is missing.'),
        complaints.slice(0, 8).map((text) => el('p', {class: 'notice'}, text)),
    ]);

    const total = (kind) => data.records.reduce((sum, row) => sum + row[kind], 0);
    const count = (result) => results.filter((row) => row.result === result).length;
    const lost = Object.values(data.lost).reduce((sum, n) => sum + n, 0);
    const tiles = [
        ['Passed', count('pass'), 'pass'], ['Failed', count('fail'), count('fail') ? 'fail' : ''],
        ['Skipped', count('skip'), ''], ['Errors', count('error'), count('error') ? 'error' : '']
    ].filter(() => results.length > 0);
    for (const [kind, title] of [['bts', 'BTS records'], ['pebs', 'PEBS records'], ['lbr', 'LBR stacks']])
        if (total(kind)) tiles.push([title, total(kind), '']);
    if (lost) tiles.push(['Records lost', lost, 'fail']);
    if (tiles.length)
        main.append(el('dl', {class: 'tiles', 'aria-label': 'Counts'},
            tiles.map(([title, n, color]) => el('div', {}, el('dt', {}, title),
                          el('dd', {class: color, title: number.format(n)}, n >= 1e6 ? short(n) : number.format(n))))));

    /* ---- the machine ---- */

    if (machine.length) {
        const facts = (lines) => el('dl', {class: 'facts'},
            [...groupBy(lines, (line) => line.key)].map(
                ([key, list]) => [el('dt', {}, key),
                    list.map((line) => el('dd', {class: /^none\b/.test(line.text) ? 'none' : ''}, line.text))]));
        const aside = /^(reading|note|events|boot|paging|apic)$/;
        const events = machine.filter((line) => line.key === 'events').flatMap((line) => line.text.split(' '));
        const rest = machine.filter((line) => aside.test(line.key) && line.key !== 'events');
        section('machine', 'The machine', 'The kernel’s lines about the processor and the machine.',
            facts(machine.filter((line) => !aside.test(line.key))),
            events.length ? details(events.length + ' precise events',
                el('ul', {class: 'chips'}, events.map((event) => el('li', {}, code(event)))))
                          : null,
            rest.length ? details('Notes and readings of the manual', facts(rest)) : null);
    }

    /* ---- verdicts ---- */

    if (results.length) {
        const words = {pass: 'passed', fail: 'failed', skip: 'skipped', error: 'error'};
        const bad = results.filter((row) => row.result === 'fail' || row.result === 'error');
        const reasons = [...groupBy(results.filter((row) => row.result === 'skip'), (row) => row.reason)].sort(
            (x, y) => y[1].length - x[1].length);
        const list = (rows) => table('Tests', ['Test', 'Result', 'Reason'],
            rows.map((row) => [code(row.id), el('span', {class: css[row.result]}, words[row.result]),
                         row.reason]));
        section('verdicts', 'Verdicts', 'Each square is a test, in the order of the run.', legend([
            ['var(--pass)', 'passed'], ['var(--fail)', 'failed'], ['var(--skip)', 'skipped (hollow)'],
            ['var(--error)', 'error']
        ]),
            el('div', {class: 'groups'},
                [...groupBy(results, (row) => row.id.split('.')[0])].map(
                    ([group, rows]) =>
                        el('div', {class: 'group'}, code(group),
                            el(
                                'div', {
                                    class: 'cells',
                                    role: 'img',
                                    'aria-label': group + ': ' +
                                        Object.keys(words)
                                            .map((key) => rows.filter((row) => row.result === key).length +
                                                    ' ' + words[key])
                                            .join(', ')
                                },
                                rows.map((row) => el('span', {
                                    class: 'cell ' + css[row.result],
                                    title:
                                        row.id + ': ' + words[row.result] + (row.reason ? ' (' + row.reason + ')' : '')
                                }))),
                            el('div', {class: 'sum'},
                                rows.filter((row) => row.result === 'pass').length + ' of ' +
                                    rows.filter((row) => row.result !== 'skip').length)))),
            bad.length ? [el('h3', {}, 'Tests that did not pass'), list(bad)] : null,
            reasons.length
                ? details('Why ' + count('skip') + ' tests were skipped',
                    table('Reasons', ['#Tests', 'Reason'], reasons.map(([reason, rows]) => [rows.length, reason])))
                : null,
            details('All ' + results.length + ' tests', list(results)));
    }

    /* ---- skid ---- */

    const places = [
        ['interrupt', 'at the interrupt, without PEBS', 'var(--b)'], ['ip', 'PEBS IP', 'var(--a)'],
        ['eventing_ip', 'EventingIP', 'var(--c)']
    ];
    function skidChart(title, rows) {
        const width = 260, height = 138, left = 38, bottom = 22, top = 8;
        const present = places.filter(([place]) => rows.some((row) => row.place === place));
        const sums = Object.fromEntries(present.map(([
            place
        ]) => [place, rows.filter((row) => row.place === place).reduce((sum, row) => sum + +row.count, 0) || 1]));
        const distances = rows.map((row) => +row.distance), least = Math.min(...distances),
              most = Math.max(...distances);
        const far = most - least > 24 ? least + 24 : most, columns = far - least + 1;
        const slot = (width - left) / columns, thick = Math.min(slot * 0.8 / present.length, 22),
              inner = height - bottom - top;
        const shares = new Map();
        for (const row of rows) {
            const key = row.place + ' ' + Math.min(+row.distance, far);
            shares.set(key, (shares.get(key) || 0) + +row.count / sums[row.place]);
        }
        const bars = [];
        present.forEach(([place, words, color], i) => {
            for (let at = least; at <= far; at++) {
                const share = shares.get(place + ' ' + at);
                if (!share) continue;
                const tall = Math.max(share * inner, 1.5),
                      x = left + (at - least + 0.5) * slot + (i - present.length / 2) * thick;
                bars.push(svg('rect', {
                    x: x + 0.75,
                    y: top + inner - tall,
                    width: Math.max(thick - 1.5, 1.5),
                    height: tall,
                    rx: Math.min(2, tall / 2),
                    fill: color
                },
                    svg('title', {},
                        words + ', distance ' + at + (at === far && far < most ? ' and more' : '') + ': ' +
                            percent(share))));
            }
        });
        const every = Math.ceil(columns / 9);
        const spoken = present
                           .map(([place, words]) => words + ' ' +
                                   rows.filter((row) => row.place === place)
                                       .map((row) => row.distance + ': ' + row.count)
                                       .join(', '))
                           .join('; ');
        return el('figure', {class: 'skid'}, el('h3', {}, code(title)),
            picture(width, height, title + ', records by distance. ' + spoken,
                [0, 0.5, 1].map((share) => {
                    const y = top + inner * (1 - share);
                    return [rule({class: share ? 'grid' : 'axis'}, left, width, y, y),
                        label(left - 6, y + 4, 'end', 100 * share + '%')];
                }),
                bars,
                Array.from({length: columns},
                    (_, i) => i % every ? null
                                        : label(left + (i + 0.5) * slot, height - 5, 'middle',
                                              least + i + (least + i === far && far < most ? '+' : '')))));
    }
    if (measures.skid.length) {
        const used = places.filter(([place]) => measures.skid.some((row) => row.place === place));
        section('skid', 'Skid',
            'The distance in instructions from the one that caused an event to the one ' +
                'that was reported; 0 is the cause itself. Shares of the records, for each ' +
                'place where an instruction pointer was found; the axis counts instructions.',
            legend(used.map(([, words, color]) => [color, words])),
            [...groupBy(measures.skid, (row) => row.workload)].map(
                ([workload, rows]) => [el('h3', {class: 'behind'}, 'Workload: ' + workload),
                    el('div', {class: 'multiples'},
                        [...groupBy(rows, (row) => row.event)].map(([event, list]) => skidChart(event, list)))]));
    }

    /* ---- cost ---- */

    const methods = [
        ['pebs', 'PEBS', 'var(--a)'], ['bts', 'BTS', 'var(--b)'], ['interrupt', 'an interrupt a sample', 'var(--d)'],
        ['lbr', 'LBR on, a branch', 'var(--c)'], ['lbr_read', 'reading the LBR stack', 'var(--e)']
    ];
    function costChart(title, unit, rows, value, logarithmic) {
        const points =
            rows.map((row) => ({method: row.method, x: Math.max(+row.records_per_interrupt, 1), y: value(row)}))
                .filter((point) => isFinite(point.y) && (logarithmic ? point.y > 0 : point.y >= 0));
        if (!points.length) return null;
        const width = 480, height = 270, left = 62, right = 14, bottom = 42, top = 12;
        const all = points.map((point) => point.y);
        const least = 10 ** Math.floor(Math.log10(Math.min(...all)));
        const most = logarithmic ? 10 ** Math.ceil(Math.log10(Math.max(...all, 10 * least)))
                                 : Math.max(...all) * 1.05 || 1,
              columns = Math.max(Math.log2(Math.max(...points.map((point) => point.x))), 1);
        const x = (n) => left + Math.log2(n) / columns * (width - left - right),
              part = (n) => logarithmic ? Math.log10(n / least) / Math.log10(most / least) : n / most,
              y = (n) => top + (1 - part(n)) * (height - top - bottom);
        const marks = logarithmic
            ? Array.from({length: Math.round(Math.log10(most / least)) + 1}, (_, i) => least * 10 ** i)
            : most < 4 ? [0, 1, 2, 3].filter((n) => n <= most)
                       : ticks(most, 5);
        const stepX = Math.ceil((columns + 1) / 9), decimals = most < 10 ? 2 : 0;
        return el('figure', {}, el('h3', {}, title),
            picture(width, height, title + '. ' +
                    points.map((point) => `${point.method} ${point.x}: ${point.y.toFixed(decimals)}`).join('; '),
                marks.map((n) => [rule({class: n === marks[0] ? 'axis' : 'grid'}, left, width - right, y(n), y(n)),
                              label(left - 8, y(n) + 4, 'end', short(n))]),
                Array.from({length: Math.floor(columns) + 1},
                    (_, i) => i % stepX ? null : label(x(2 ** i), height - bottom + 18, 'middle', short(2 ** i))),
                label(left + (width - left - right) / 2, height - 4, 'middle', 'records per interrupt'),
                methods.map(([method, words, color]) => {
                    const own = points.filter((point) => point.method === method).sort((p, q) => p.x - q.x);
                    if (!own.length) return null;
                    const level = own.length === 1 && columns > 1;
                    return svg('g', {},
                        level ? rule({stroke: color, 'stroke-width': 1.5, 'stroke-dasharray': '5 4'}, left,
                                    width - right, y(own[0].y), y(own[0].y))
                              : svg('polyline', {
                                    class: 'curve',
                                    stroke: color,
                                    points: own.map((point) => x(point.x) + ',' + y(point.y)).join(' ')
                                }),
                        own.map((point) => svg('circle', {cx: x(point.x), cy: y(point.y), r: 3.5, fill: color},
                                    svg('title', {},
                                        words + ', ' + point.x + ' records per interrupt: ' + point.y.toFixed(2) + ' ' +
                                            unit))));
                })));
    }
    if (measures.cost.length) {
        const rows = measures.cost, clock = [...new Set(rows.map((row) => row.clock))].join(', ');
        const perSample = (row) => ratio(row.cycles - (row.plain || 0), row.samples);
        const slowdown = (row) => ratio(row.cycles, row.plain);
        const present = methods.filter(([method]) => rows.some((row) => row.method === method));
        const figures = rows.map(
            (row) => [row.method, row.records_per_interrupt, number.format(row.samples), number.format(row.cycles),
                number.format(row.plain || 0), perSample(row).toFixed(1), +row.plain ? slowdown(row).toFixed(2) : '']);
        const service =
            measures.service.map((row) => [row.kind.toUpperCase(), number.format(row.records),
                                     number.format(row.instructions), ratio(row.instructions, row.records).toFixed(1)]);
        section('cost', 'Cost',
            'The cost of a sample, by the number of records that one interrupt drains. The clock is ' + clock + '.',
            legend(present.map(([, words, color]) => [color, words])),
            el('div', { class: 'pair' },
                costChart('Cycles for each sample, logarithmic', 'cycles', rows, perSample, true),
                costChart('Slowdown of the workload', 'times', rows.filter((row) => +row.plain > 0), slowdown)),
            el('p', { class: 'about after' },
                'A dashed line is a figure that does not depend on the number of records.'),
            details('The figures',
                table('Cost', ['Method', '#Records per interrupt', '#Samples', '#Cycles', '#Cycles without',
                    '#Cycles a sample', '#Slowdown'], figures)),
            service.length ? [
                el('h3', { class: 'behind' }, 'Instructions that the service routine retires'),
                table('Interrupt service routine', ['Kind', '#Records', '#Instructions', '#A record'], service)
            ] : null);
    }

    /* ---- memory ---- */

    const order = [/^L1/, /^LFB/, /^L2/, /^L3/, /^L4|PMEM/, /^Local RAM|^RAM/, /^Remote/];
    const levelRank = (words) => [...order, /^/].findIndex((pattern) => pattern.test(words));
    const levelColor = (words) => `var(--level-${levelRank(words)})`;
    if (measures.level.length) {
        const sizes = [...groupBy(measures.level, (row) => +row.size)].sort((p, q) => p[0] - q[0]);
        const levels = [...new Set(measures.level.map((row) => row.level))].sort((p, q) => levelRank(p) - levelRank(q));
        const width = 480, left = 66, line = 19, high = sizes.length * line;
        const shares = picture(width, high + 26, 'Share of the samples by level for each size of ring',
            sizes.map(([size, rows], i) => {
                const sum = rows.reduce((n, row) => n + +row.samples, 0) || 1;
                let at = left;
                return [
                    label(left - 8, i * line + 13, 'end', bytes(size)),
                    [...rows].sort((p, q) => levelRank(p.level) - levelRank(q.level)).map((row) => {
                        const wide = row.samples / sum * (width - left), x = at;
                        at += wide;
                        return svg('rect', {
                            x,
                            y: i * line + 2,
                            width: Math.max(wide - 1, 0.5),
                            height: line - 5,
                            rx: 2,
                            fill: levelColor(row.level)
                        },
                            svg('title', {},
                                `${bytes(size)}: ${row.level}, ${percent(row.samples / sum)} of the samples`));
                    })
                ];
            }),
            [[0, 'start'], [0.5, 'middle'], [1, 'end']].map(
                ([share, anchor]) => label(left + share * (width - left), high + 18, anchor, 100 * share + '%')));
        const most = Math.max(...measures.level.map((row) => +row.p99), 2), logs = Math.log10(most);
        const x = (n) => left + Math.log10(Math.max(n, 1)) / logs * (width - left - 16);
        const latencies = picture(width, high + 26,
            'Latencies by level for each size of ring, from the median to the 99th percentile',
            [1, 10, 100, 1000, 10000]
                .filter((n) => n <= most)
                .map((n) => [rule({class: n === 1 ? 'axis' : 'grid'}, x(n), x(n), 0, high),
                         label(x(n), high + 18, 'middle', short(n))]),
            sizes.map(
                ([size, rows], i) => [label(left - 8, i * line + 13, 'end', bytes(size)),
                    rows.map((row) => {
                        const y = i * line + 9, color = levelColor(row.level);
                        return svg('g', {},
                            rule({stroke: color, 'stroke-width': 3, 'stroke-linecap': 'round', opacity: 0.55},
                                x(+row.p50), x(+row.p99), y, y),
                            svg('circle', {cx: x(+row.p50), cy: y, r: 4.5, fill: color}),
                            svg('title', {},
                                bytes(size) + ': ' + row.level + ', median ' + row.p50 + ', 90 % within ' + row.p90 +
                                    ', 99 % within ' + row.p99 + ', longest ' + row.max));
                    })]));
        section('memory', 'Memory',
            'Loads that chase pointers through rings of growing size: the source of their ' +
                'data, and their latency.',
            legend(levels.map((words) => [levelColor(words), words])),
            el('div', {class: 'pair'}, el('figure', {}, el('h3', {}, 'Share of the samples'), shares),
                el('figure', {}, el('h3', {}, 'Latency in core cycles, logarithmic'), latencies,
                    el('figcaption', {}, 'A dot is the median, its line reaches to the 99th percentile.'))),
            details('The figures',
                table('Memory', ['#Ring', 'Level', '#Overhead', '#Samples', '#p50', '#p90', '#p99', '#Longest'],
                    sizes.flatMap(([size, rows]) =>
                                      rows.map((row) => [bytes(size), row.level, (row.overhead / 100).toFixed(2) + ' %',
                                                   number.format(row.samples), row.p50, row.p90, row.p99, row.max])))));
    }

    /* ---- sharing ---- */

    if (measures.sharing.length) {
        const words = {
            false: 'words of several processors in one line',
            padded: 'each word in a line of its own',
            true: 'one word that all write'
        };
        const sum = (rows, key) => rows.reduce((n, row) => n + +(row[key] || 0), 0);
        const layouts = [...groupBy(measures.sharing, (row) => row.layout)];
        const slowest = Math.max(...layouts.map(([, rows]) => sum(rows, 'cycles') / (sum(rows, 'loads') || 1)), 1);
        section('sharing', 'Sharing',
            'Lines of the caches that several processors use. A HITM load found its data ' +
                'modified by another processor.',
            table('Layouts', ['Layout', '', '#Lines', '#Loads', '#Stores', '#HITM share of loads', '#Cycles a load'],
                layouts.map(([layout, rows]) => {
                    const loads = sum(rows, 'loads') || 1, hitm = sum(rows, 'hitm') / loads,
                          cycles = sum(rows, 'cycles') / loads;
                    return [
                        layout, words[layout] || '', rows.length, number.format(sum(rows, 'loads')),
                        number.format(sum(rows, 'stores')), [percent(hitm), bar(hitm)],
                        [cycles.toFixed(1), bar(cycles / slowest)]
                    ];
                })),
            details('By line', table('Lines', ['Layout', 'Line', '#Loads', '#HITM', '#Stores', '#Cycles a load'],
                    measures.sharing.map(
                        (row) => [row.layout, code(row.line), row.loads, row.hitm, row.stores,
                            row.cycles && +row.loads ? (row.cycles / row.loads).toFixed(1) : '']))),
            measures.sharing_access.length
                ? details('By offset, processor and function',
                    table('Accesses', ['Layout', 'Line', '#Offset', '#CPU', 'Function', '#Loads', '#HITM', '#Stores'],
                          measures.sharing_access.map(
                              (row) => [row.layout || '', code(row.line), row.offset, row.cpu,
                                  code(row.symbol), row.loads, row.hitm, row.stores])))
                : null);
    }

    /* ---- precise events ---- */

    if (measures.events.length)
        section('events', 'Precise events', 'The number of an event’s records that are at instructions which can cause it.',
            table('Events', ['Event', '#Samples', '#Of its kind', '#Share'],
                measures.events.map(
                    (row) => [code(row.event), number.format(row.samples), number.format(row.of_kind),
                        +row.samples ? [percent(ratio(row.of_kind, row.samples)), bar(ratio(row.of_kind, row.samples))]
                                     : 'no sample'])));

    /* ---- counters in records ---- */

    if (data.counts.length)
        section('counts', 'Counters in records',
            'The counters group of the first and the last PEBS record of a test, and the mean step of the ' +
                'counter from one record to the next.',
            table('Counters in records', ['Test', 'Counter', '#Records', '#First', '#Last', '#Mean step'],
                data.counts.map((row) => [code(row.test), row.counter, number.format(row.records),
                    number.format(row.first), number.format(row.last),
                    row.records > 1 ? number.format(Math.round((row.last - row.first) / (row.records - 1))) : ''])));
    if (data.logged.length)
        section('logged', 'Events in LBR entries',
            'How often general counters counted their events between an LBR entry and the one before, summed up. An ' +
                'entry’s count saturates at 3.',
            table('Events in LBR entries', ['Test', '#Entries', '#IA32_PMC0', '#IA32_PMC1', '#IA32_PMC2', '#IA32_PMC3'],
                data.logged.map((row) => [code(row.test), number.format(row.entries),
                    ...row.counts.map((count) => number.format(count))])));

    /* ---- where the samples are ---- */

    if (data.samples.length) {
        const events = [...groupBy(data.samples, (row) => row.event)];
        section('samples', 'Samples',
            'The addresses of PEBS records, the most frequent first, as perf report counts them.',
            el('div', {class: 'pair'}, events.map(([event, rows]) => {
                const sum = rows.reduce((n, row) => n + row.count, 0);
                return el('div', {}, el('h3', {}, code(event)),
                    table(event, ['#Share', '#Records', 'Symbol', 'Line'],
                        rows.slice(0, 8).map(
                            (row) => [[percent(row.count / sum), bar(row.count / sum)], number.format(row.count),
                                code(row.symbol), code(row.line)])));
            })));
    }

    /* ---- flame graph ---- */

    const hue = (text) => {
        let h = 0;
        for (const c of text) h = (h * 31 + c.codePointAt(0)) >>> 0;
        return 14 + h % 40;
    };
    const flameColor = (text) => `hsl(${hue(text)} 82% ${68 + (text.length * 7) % 9}%)`;
    function buildTree() {
        const nodes = data.flame.map(
            ([nameIndex, parent, self]) => ({name: data.names[nameIndex], parent, self, total: self, children: []}));
        for (let i = nodes.length - 1; i > 0; i--) nodes[nodes[i].parent].total += nodes[i].total;
        nodes.forEach((node, i) => {
            if (i) nodes[node.parent].children.push(node);
            node.up = i ? nodes[node.parent] : null;
        });
        for (const node of nodes) node.children.sort((p, q) => q.total - p.total);
        return nodes[0];
    }
    if (data.flame.length > 1) {
        const root = buildTree();
        root.name = 'all tests';
        const box = el('div', {class: 'flame', id: 'flame'}),
              where = el('div', {class: 'where', 'aria-live': 'polite'});
        const select = el('select',
            {'aria-label': 'Test', onchange: () => show(select.value === '' ? root : root.children[+select.value])},
            el('option', {value: ''}, 'All tests'),
            root.children.map((node, i) => el('option', {value: i}, `${node.name} (${number.format(node.total)})`)));
        const up = el('button', {
            type: 'button',
            onclick: () => {
                if (shown.up) show(shown.up);
            }
        },
            'One level up');
        let shown = root;
        const describe = (node) => node.name + ': ' + number.format(node.total) + ' branches, ' +
            percent(node.total / root.total) + ' of all, ' + number.format(node.self) + ' of its own';
        function show(node) {
            shown = node;
            up.disabled = !node.up;
            const test = root.children.indexOf(node);
            if (node === root || test >= 0) select.value = node === root ? '' : String(test);
            box.textContent = '';
            let deepest = 0;
            const ancestors = [];
            for (let at = node.up; at; at = at.up) ancestors.unshift(at);
            const place = (item, depth, left, width) => {
                if (width < 0.15) return;
                deepest = Math.max(deepest, depth);
                box.append(el('button', {
                    type: 'button',
                    title: describe(item),
                    'aria-label': describe(item),
                    onclick: () => show(item),
                    onfocus: () => { where.textContent = describe(item); },
                    onmouseenter: () => { where.textContent = describe(item); },
                    style: {
                        left: left + '%',
                        width: width + '%',
                        top: depth * 22 + 'px',
                        background: flameColor(item.name),
                        opacity: depth < ancestors.length ? '.55' : '1',
                        padding: width < 1.2 ? '0' : ''
                    },
                },
                    width < 1.2 ? '' : item.name));
                if (depth < ancestors.length) return;
                let at = left;
                for (const child of item.children) {
                    const wide = width * child.total / item.total;
                    place(child, depth + 1, at, wide);
                    at += wide;
                }
            };
            ancestors.forEach((item, depth) => place(item, depth, 0, 100));
            place(node, ancestors.length, 0, 100);
            box.style.height = (deepest + 1) * 22 + 'px';
            where.textContent = describe(node);
        }
        section('flame-graph', 'Flame graph',
            'Calls in the branch trace: the width of a bar is the number of branches in ' +
                'the function and the functions that it calls. Click a bar to give it the ' +
                'whole width.',
            el('div', {class: 'controls'}, select, up, where), box);
        show(root.children.length === 1 ? root.children[0] : root);
    }

    /* ---- timeline ---- */

    if (data.timelines.length) {
        const place = el('div', {id: 'timeline'}), where = el('div', {class: 'where', 'aria-live': 'polite'});
        const select = el('select', {'aria-label': 'Test', onchange: () => draw(data.timelines[+select.value])},
            data.timelines.map((line, i) => el('option', {value: i}, `${line.test}, processor ${line.cpu}`)));
        const depthOf = (line) => Math.max(...line.slices.map((slice) => slice[1])) + 1;
        function draw(line) {
            const width = 1000, row = 20, depth = depthOf(line), high = depth * row;
            const x = (n) => n / line.length * width;
            place.textContent = '';
            place.append(el('div', {class: 'scroll'},
                svg('svg', {
                    viewBox: `0 0 ${width} ${high + 24}`,
                    role: 'img',
                    style: {'min-width': '560px'},
                    'aria-label': line.test + ': ' + line.slices.length + ' calls over ' + line.length + ' branches, ' +
                        depth + ' deep'
                },
                    ticks(line.length, 8)
                        .map((n) => [rule({class: 'grid'}, x(n), x(n), 0, high),
                                 label(x(n), high + 17, !n ? 'start' : x(n) > width - 30 ? 'end' : 'middle',
                                     number.format(n))]),
                    line.slices.map(([nameIndex, level, from, to]) => {
                        const text = data.names[nameIndex], wide = Math.max(x(to) - x(from), 1);
                        const words = `${text}, branches ${number.format(from)} to ${number.format(to)}`;
                        return svg('g', {onmouseenter: () => { where.textContent = words; }}, svg('rect', {
                            x: x(from),
                            y: level * row,
                            width: Math.max(wide - 0.6, 0.6),
                            height: row - 2,
                            rx: 2,
                            fill: flameColor(text)
                        }),
                            svg('title', {}, words),
                            wide > 7 * text.length + 8
                                ? svg('text', {x: x(from) + 5, y: level * row + 13, style: {fill: 'var(--flame-ink)'}},
                                      text)
                                : null);
                    }))));
            where.textContent = line.cut ? `The first ${number.format(line.length)} branches of this test.` : '';
        }
        section('timeline-section', 'Timeline',
            'Calls in their order. The branch trace has no clock: the axis counts branches.',
            el('div', {class: 'controls'}, select, where), place);
        const richest = data.timelines.reduce(
            (best, line, i) => line.slices.length > data.timelines[best].slices.length ? i : best, 0);
        select.value = String(richest);
        draw(data.timelines[richest]);
    }

    fill(document.getElementById('contents'), {},
        [el('ul', {}, sections.map(([id, title]) => el('li', {}, el('a', {href: '#' + id}, title))))]);
    document.documentElement.dataset.ready = 'yes';
})();
